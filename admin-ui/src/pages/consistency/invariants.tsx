import { Link } from "@tanstack/react-router";
import type { Invariant } from "../../api/answers.ts";
import { count, shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import type { Tone } from "../../parts/row_kinds.ts";
import { StateMark, toneText } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import type { System } from "../../systems.ts";

const states: Record<Invariant["state"], { tone: Tone; word: string }> = {
  ok: { tone: "done", word: "Healthy" },
  watch: { tone: "retry", word: "Watch" },
  broken: { tone: "failed", word: "Broken" },
};
const order: readonly Invariant["state"][] = ["broken", "watch", "ok"];

/** The worst state, in a word. */
export function Verdict({ invariants }: { invariants: readonly Invariant[] }) {
  const worst = order.find(state => invariants.some(one => one.state === state)) ?? "ok";
  const many = invariants.filter(one => one.state === worst).length;
  return <StateMark state={worst === "ok" ? { tone: "done", word: "Healthy" } : { ...states[worst], word: `${many} ${worst}` }} />;
}

const nameOf = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

const bySeverity = (a: Invariant, b: Invariant) => order.indexOf(a.state) - order.indexOf(b.state);

/** Broken invariants are listed at the top. Healthy ones are collapsed into one line. */
export function Invariants({ invariants, system }: { invariants: readonly Invariant[]; system: System }) {
  const open = invariants.filter(({ state }) => state !== "ok").toSorted(bySeverity);
  const holding = invariants.filter(({ state }) => state === "ok");
  return (
    <>
      <List invariants={open} system={system} />
      {holding.length > 0 && (
        <details className="group">
          <summary className="flex min-h-10 items-center gap-2 px-4 py-2 hover:bg-raised">
            <Icon name="chevron" className="size-4 text-faint transition-transform group-open:rotate-90" />
            <span className="font-medium text-done">
              {holding.length === 1 ? "1 invariant holds" : `${holding.length} invariants hold`}
            </span>
            {open.length > 0 && <span className="text-faint">the others</span>}
          </summary>
          <div className="border-t">
            <List invariants={holding} system={system} />
          </div>
        </details>
      )}
    </>
  );
}

function List({ invariants, system }: { invariants: readonly Invariant[]; system: System }) {
  return (
    <ul>
      {invariants.map(one => (
        <li
          key={one.name}
          className={`grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 border-b px-4 py-2.5 md:grid-cols-[5.5rem_minmax(0,1fr)_10rem] ${one.state === "broken" ? "bg-failed-ground" : ""}`}
        >
          <StateMark state={states[one.state]} />
          <div className="min-w-0 max-md:order-last max-md:col-span-2">
            <h3 className="font-medium">{nameOf(one.name)}</h3>
            <p className="max-w-[80ch] text-soft">
              {one.about}
              {one.bounded && <span className="text-faint"> Checks {one.bounded}.</span>}
            </p>
            {one.state !== "ok" && <Sample ids={one.sample} system={system} />}
          </div>
          <p className="text-right">
            <span
              className={`mono block !text-base font-semibold ${one.count.count > 0 ? toneText[states[one.state].tone] : "text-faint"}`}
            >
              {count(one.count)}
            </span>
            {one.oldest && (
              <span className="text-faint">
                oldest <Ago at={one.oldest} />
              </span>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** A few violating ids, each with a link to its journey. */
function Sample({ ids, system }: { ids: readonly string[]; system: System }) {
  if (ids.length === 0) return null;
  return (
    <ul aria-label={`Examples in ${system}`} className="mt-1 flex flex-wrap gap-x-3">
      {ids.map(id => (
        <li key={id}>
          <Link to="/journey/$id" params={{ id }} className="link mono" title={id}>
            {shortId(id)}
          </Link>
        </li>
      ))}
    </ul>
  );
}
