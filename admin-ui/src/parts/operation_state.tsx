import type { Operation } from "../api/answers.ts";
import { verdictOf } from "./operation_outcome.ts";
import { StateMark } from "./state_mark.tsx";

export const OperationState = ({ operation }: { operation: Operation }) => <StateMark state={verdictOf(operation)} />;
