import type { Action } from "../api/answers.ts";
import { Actor } from "./actor.tsx";
import { At } from "./time.tsx";

/** Operator actions, newest first. */
export function ActionList({ actions }: { actions: readonly Action[] }) {
  return (
    <ul className="flex flex-col gap-3">
      {actions.map(one => (
        <li key={one.action_id}>
          <p className="flex flex-wrap gap-x-3">
            <span className="font-medium">{one.action}</span>
            <At at={one.at} />
            <Actor id={one.actor} />
          </p>
          <p className="break-words text-soft">{one.reason}</p>
        </li>
      ))}
    </ul>
  );
}
