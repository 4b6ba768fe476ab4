import type { Operation } from "../api/client.ts";
import { verdictOf } from "./operation_outcome.ts";
import { StateMark } from "./state_mark.tsx";

export const OperationState = ({ operation }: { operation: Operation }) => <StateMark state={verdictOf(operation)} />;
