import { always, brokenAfter, type Invariant, many, most, newest } from "../../kernel/operator/invariants.ts";
import type { OrdersSql } from "../sql.gen.ts";

// Leases that ran out are reclaimed every few seconds.
const reclaimedWithin = 60_000;
// The broker is asked about an unknown outcome at least every 160 s. After this time a person should look.
const answeredWithin = 15 * 60_000;

/** What must hold between the outbox, the ledger and the ledger's history. */
export const invariantsOf = ({ consistency, orders }: OrdersSql): Invariant[] => [
  {
    name: "leases_run_out",
    about: "Orders that a sender holds and whose lease ran out. A sender reclaims them within seconds.",
    look: () => orders.leases_run_out({ most }),
    judge: brokenAfter(reclaimedWithin),
  },
  {
    name: "unknown_outcomes",
    about: "Orders whose outcome at the broker is unknown. The sender asks the broker; after a while a person should resolve them.",
    look: () => consistency.unknown({ most }),
    judge: brokenAfter(answeredWithin),
  },
  {
    name: "ledger_and_outbox_agree",
    about: "Orders whose state in the outbox differs from that in the ledger, or that the ledger does not have.",
    bounded: `the newest ${many(newest)} orders`,
    look: () => consistency.disagreeing({ scan: newest }),
    judge: always("broken"),
  },
  {
    name: "accepted_without_order",
    about: "Accepted entries of the ledger without an order in the outbox. Nothing would ever send them.",
    bounded: `the newest ${many(newest)} entries`,
    look: () => consistency.unsent({ scan: newest }),
    judge: always("broken"),
  },
  {
    name: "ledger_history_complete",
    about: "Entries of the ledger whose last recorded change does not lead to their state.",
    bounded: `the newest ${many(newest)} entries`,
    look: () => consistency.unrecorded({ scan: newest }),
    judge: always("broken"),
  },
];
