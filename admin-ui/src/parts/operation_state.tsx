import type { Operation } from "../api.ts";
import { StateMark } from "./state.tsx";

const states = {
  RUNNING: { tone: "flight", word: "Running" },
  DONE: { tone: "done", word: "Done" },
  CANCELLED: { tone: "stale", word: "Cancelled" },
} as const;
const withFailures = { tone: "failed", word: "Done, with failures" } as const;

export const OperationState = ({ operation: { status, failed } }: { operation: Operation }) => (
  <StateMark state={status === "DONE" && failed > 0 ? withFailures : states[status]} />
);
