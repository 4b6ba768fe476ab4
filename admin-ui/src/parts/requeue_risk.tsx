import type { Kind } from "../systems.ts";
import { type FirstFailure, requeueRisk } from "./action_risks.ts";
import { useNow } from "./time.tsx";

interface RequeueRiskProps extends Partial<FirstFailure> {
  readonly kind: Kind;
  readonly many: number;
}

/** A warning before failed rows are requeued, if the kind needs one. */
export function RequeueRisk({ kind, many, at, mayBeEarlier = false }: RequeueRiskProps) {
  const text = requeueRisk(kind, many, { at, mayBeEarlier }, useNow());
  return text ? <p className="max-w-[80ch] text-failed">{text}</p> : null;
}
