import { useInfiniteQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLive } from "../../api/live.ts";
import { number } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Panel } from "../../parts/page.tsx";
import { useSettings } from "../../parts/settings.ts";
import { toneText } from "../../parts/state_mark.tsx";
import { Ago, At } from "../../parts/time.tsx";
import { fieldOf, timeOf } from "../../parts/user_view.ts";
import type { Verb } from "./change.ts";
import { type Holding, holdings } from "./queries.ts";

export interface HoldingsProps {
  readonly user: string;
  readonly asOf: string | undefined;
  readonly look: (asOf: string | undefined) => void;
  /** Undefined if the user may not make changes. */
  readonly openForm: ((verb: Verb, item: string) => void) | undefined;
}

/** The user's entitlements now, or at a given time. */
export function Holdings({ user, asOf, look, openForm }: HoldingsProps) {
  const query = useInfiniteQuery({ ...holdings(user, asOf), ...useLive() });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const rows = data?.pages.flatMap(page => page.entitlements) ?? [];
  return (
    <Panel title={asOf ? "Entitlements at that time" : "Current entitlements"} aside={<AsOf key={asOf} asOf={asOf} look={look} />}>
      {asOf && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2">
          <span>
            As of <At at={asOf} />
          </span>
          <button type="button" className="link" onClick={() => look(undefined)}>
            Back to now
          </button>
        </p>
      )}
      {error && <ErrorNotice what="The entitlements cannot be shown." error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && rows.length === 0 && !hasNextPage && (
        <EmptyState title={asOf ? "No entitlements at that time" : "No entitlements for this id"}>
          {asOf ? "Later changes are in the history below." : "Ids are case-sensitive."}
        </EmptyState>
      )}
      {rows.length > 0 && <Table rows={rows} openForm={asOf ? undefined : openForm} />}
      {hasNextPage && (
        <div className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-t p-3">
          <span className="text-soft">
            {rows.length > 0
              ? `The first ${number(rows.length)} items, by name. There are more.`
              : "None of the first items existed at that time."}
          </span>
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading …" : "More items"}
          </button>
        </div>
      )}
    </Panel>
  );
}

function AsOf({ asOf, look }: Pick<HoldingsProps, "asOf" | "look">) {
  const { zone } = useSettings();
  const [field, setField] = useState(asOf ? fieldOf(asOf, zone) : "");
  const time = timeOf(field, zone);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (time) look(time);
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-2">
      <label className="flex items-center gap-2 text-soft">
        As of{zone === "utc" && " (UTC)"}
        <input type="datetime-local" step={1} className="field !w-auto" value={field} onChange={event => setField(event.target.value)} />
      </label>
      <button type="submit" className="button" disabled={!time}>
        Show
      </button>
    </form>
  );
}

type OpenForm = HoldingsProps["openForm"];

function Table({ rows, openForm }: { rows: readonly Holding[]; openForm: OpenForm }) {
  if (useIsNarrow())
    return (
      <ul>
        {rows.map(row => (
          <li key={row.stock_keeping_unit} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2.5 last:border-0">
            <span className="mono w-full break-all">{row.stock_keeping_unit}</span>
            <HoldingMark status={row.status} />
            <Ago at={row.updated_at} />
            <ChangeLink row={row} openForm={openForm} />
          </li>
        ))}
      </ul>
    );
  return (
    <table className="grid-table">
      <thead>
        <tr>
          <th className="w-full">Item</th>
          <th>State</th>
          <th className="end">Version</th>
          <th className="end">Since</th>
          {openForm && <th>Change</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.stock_keeping_unit}>
            <td className="mono max-w-0 truncate" title={row.stock_keeping_unit}>
              {row.stock_keeping_unit}
            </td>
            <td>
              <HoldingMark status={row.status} />
            </td>
            <td className="mono end">{row.version}</td>
            <td className="end">
              <Ago at={row.updated_at} />
            </td>
            {openForm && (
              <td>
                <ChangeLink row={row} openForm={openForm} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HoldingMark({ status }: Pick<Holding, "status">) {
  const isActive = status === "ACTIVE";
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium ${toneText[isActive ? "done" : "pending"]}`}>
      <Icon name={isActive ? "done" : "failed"} className="size-3.5" />
      {isActive ? "Active" : "Revoked"}
    </span>
  );
}

/** A link that changes the entitlement to the other state. */
function ChangeLink({ row: { stock_keeping_unit: item, status }, openForm }: { row: Holding; openForm: OpenForm }) {
  if (!openForm) return null;
  const [verb, word]: [Verb, string] = status === "ACTIVE" ? ["revoke", "Revoke"] : ["grant", "Grant"];
  return (
    <button
      type="button"
      className="link inline-flex items-center gap-1"
      aria-label={`${word} ${item}`}
      onClick={() => openForm(verb, item)}
    >
      {word}
      <Icon name="chevron" className="size-3" />
    </button>
  );
}
