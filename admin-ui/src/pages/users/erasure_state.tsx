import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useLive } from "../../api/live.ts";
import { Facts, Section } from "../../parts/facts.tsx";
import { number } from "../../parts/format.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import { At } from "../../parts/time.tsx";
import { erasure } from "./queries.ts";

interface Report {
  readonly state: string;
  readonly waiting_for: readonly string[];
  readonly changed: Readonly<Record<string, number>>;
}

const wordsOf = ({ state, waiting_for, changed }: Report): string => {
  if (state !== "DONE") return `waiting for ${waiting_for.join("; ") || "its next step"}`;
  const rows = Object.values(changed).reduce((sum, one) => sum + one, 0);
  return `done, ${number(rows)} rows changed`;
};

/** What each system says about the erasure of a user. At the end the user id is forgotten, so the pseudonym is remembered here. */
export function ErasureState({ id }: { id: string }) {
  const [pseudonym, remember] = useState<string>();
  const { data, error, refetch } = useQuery({ ...erasure(pseudonym ?? id), ...useLive() });
  useEffect(() => {
    if (data) remember(data.pseudonym);
  }, [data]);
  if (error) return <ErrorNotice what="The erasure cannot be shown." error={error} retry={() => void refetch()} />;
  if (!data) return null;
  const isDone = data.state === "DONE";
  const anew = data.pseudonym.replace(/^erased-/, "");
  return (
    <Section title="Erasure">
      <p role="status">
        {isDone ? "This user is erased." : "This user is being erased."}{" "}
        {isDone && anew !== id && (
          <Link to="/users/$id" params={{ id: anew }} className="link">
            What is kept of the account
          </Link>
        )}
      </p>
      <Facts
        facts={[
          [
            "Pseudonym",
            <span key="pseudonym" className="mono break-all">
              {data.pseudonym}
            </span>,
          ],
          ...Object.entries(data.systems).map(([system, report]): [string, string] => [system, wordsOf(report)]),
          ["Requested", <At key="requested" at={data.requested_at} />],
          ["Done", isDone && data.done_at ? <At key="done" at={data.done_at} /> : "not yet"],
        ]}
      />
    </Section>
  );
}
