import type { Operation } from "../api/api.ts";
import { verdictOf } from "./operation_outcome.ts";
import { StateMark } from "./state.tsx";

export const OperationState = ({ operation }: { operation: Operation }) => <StateMark state={verdictOf(operation)} />;
