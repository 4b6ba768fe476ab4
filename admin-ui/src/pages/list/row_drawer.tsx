import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { useLive } from "../../api/live.ts";
import { detail } from "../../api/queries.ts";
import { drawers } from "../../drawers.ts";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section, Verbatim } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Repair } from "../../parts/repair.tsx";
import { isOfUsers, isWaiting, ownerOf, rowOf, stateOf, typeWord } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { UserLinks } from "../../parts/user_links.tsx";
import { type Kind, kindOf, titleOf } from "../../systems.ts";

/** The details of a row: in the kind's own drawer, or with the columns that every kind has. */
export function RowDrawer() {
  const { kind: name, id } = useParams({ from: "/$kind/$id" });
  const search = useSearch({ from: "/$kind" });
  const navigate = useNavigate();
  const kind = kindOf(name);
  const close = () => void navigate({ to: "/$kind", params: { kind: name }, search });
  const Own = drawers[kind.name];
  if (!Own) return <PlainDrawer key={id} kind={kind} id={id} close={close} />;
  return (
    <Suspense>
      <Own key={id} id={id} close={close} />
    </Suspense>
  );
}

function PlainDrawer({ kind, id, close }: { kind: Kind; id: string; close: () => void }) {
  const { data, error, refetch } = useQuery({ ...detail<Record<string, unknown>>(kind, id), ...useLive() });
  const row = data && rowOf(kind, data);
  return (
    <Drawer title={row ? `${typeWord(kind, row.type)} ${kind.one}` : kind.one} head={<Id id={id} whole />} close={close}>
      {error && <ErrorNotice what={`This ${kind.one} cannot be shown.`} error={error} retry={() => void refetch()} />}
      {!row && !error && <Skeleton rows={12} />}
      {row && (
        <>
          <Repair kind={kind} id={row.id} status={row.status} attempts={row.attempts} />
          <Section title="State">
            <Facts
              facts={[
                ["State", <StateMark key="state" state={stateOf(kind, row)} />],
                ["Failed attempts", row.attempts],
                ["Created", <At key="created" at={row.createdAt} />],
                ["Last failure", <At key="failed" at={row.failedAt} />],
                ["Next attempt", isWaiting(kind, row) ? <At key="next" at={row.nextRetryAt} /> : null],
                ["Done", <At key="done" at={row.doneAt} />],
              ]}
            />
          </Section>
          {row.error && (
            <Section title="Last error">
              <Verbatim text={row.error} tone="text-failed" />
            </Section>
          )}
          <Section title="About">
            <Facts
              facts={[
                [titleOf(ownerOf(kind)), <Id key="user" id={row.user} whole />],
                ...(isOfUsers(kind) ? [["User pages", <UserLinks key="links" user={row.user} />] as const] : []),
                ...kind.facts.map(({ title }, index) => [title, row.facts[index]] as const),
              ]}
            />
          </Section>
          <Section title="All columns">
            <Verbatim text={JSON.stringify(data, null, 2)} />
          </Section>
        </>
      )}
    </Drawer>
  );
}
