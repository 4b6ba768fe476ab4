import type { Operation } from "../api.ts";
import { StateMark } from "./state.tsx";

const states = {
  RUNNING: { tone: "flight", word: "Running" },
  DONE: { tone: "done", word: "Done" },
  CANCELLED: { tone: "stale", word: "Cancelled" },
} as const;

export const OperationState = ({ operation }: { operation: Operation }) => <StateMark state={states[operation.status]} />;
