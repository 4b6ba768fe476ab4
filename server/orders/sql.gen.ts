// Generated from sql/ by `bun run generate`; do not edit.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export interface ApiKeysAppendParameters {
  key_id: string;
  client_id: string;
  secret_sha256: Uint8Array;
  scopes: readonly string[];
  expires_in_days: number | null;
}
export interface ApiKeysAppendRow {
  key_id: string;
}

export interface ApiKeysFindParameters {
  key_id: string;
}
export interface ApiKeysFindRow {
  key_id: string;
  client_id: string;
  secret_sha256: Uint8Array;
  scopes: readonly string[];
  live: boolean;
}

export interface ApiKeysListRow {
  key_id: string;
  client_id: string;
  scopes: readonly string[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface ApiKeysRevokeParameters {
  key_id: string;
  grace_seconds: number;
}
export interface ApiKeysRevokeRow {
  key_id: string;
}

export interface FlowAddParameters {
  minute: readonly string[];
  step: readonly string[];
  count: readonly number[];
  buckets: readonly string[];
}
export interface FlowAddRow {
  minute: string;
  step: string;
}

export interface FlowCleanupParameters {
  retention_seconds: number;
  limit: number;
}
export interface FlowCleanupRow {
  minute: string;
  step: string;
}

export interface FlowSeriesParameters {
  minutes: number;
}
export interface FlowSeriesRow {
  minute: string;
  step: string | null;
  count: number | null;
  buckets: string | null;
}

export interface OperationsActorsRow {
  actor: string;
}

export interface OperationsCancelParameters {
  operation_id: string;
  actor: string;
  reason: string;
}
export interface OperationsCancelRow {
  operation_id: string;
}

export interface OperationsCleanupParameters {
  retention_seconds: number;
  limit: number;
}
export interface OperationsCleanupRow {
  operation_id: string;
}

export interface OperationsCleanupItemsParameters {
  retention_seconds: number;
  limit: number;
}
export interface OperationsCleanupItemsRow {
  position: number;
}

export interface OperationsConfirmParameters {
  operation_id: readonly string[];
  seconds: number;
}
export interface OperationsConfirmRow {
  operation_id: string;
}

export interface OperationsFailItemParameters {
  operation_id: string;
  position: number;
  note: string;
}
export interface OperationsFailItemRow {
  operation_id: string;
  status: string;
}

export interface OperationsFindParameters {
  operation_id: string;
}
export interface OperationsFindRow {
  operation_id: string;
  kind: string;
  action: string;
  filter: Json;
  reason: string;
  actor: string;
  status: string;
  total: number;
  done: number;
  skipped: number;
  failed: number;
  created_at: string;
  finished_at: string | null;
  cancelled_by: string | null;
  stop_reason: string | null;
  waits: boolean;
}

export interface OperationsItemsParameters {
  operation_id: string;
  result: string | null;
  after_position: number;
  limit: number;
}
export interface OperationsItemsRow {
  position: number;
  subject: string;
  result: string;
  note: string | null;
}

export interface OperationsListParameters {
  before_operation_id: string;
  limit: number;
}
export interface OperationsListRow {
  operation_id: string;
  kind: string;
  action: string;
  filter: Json;
  reason: string;
  actor: string;
  status: string;
  total: number;
  done: number;
  skipped: number;
  failed: number;
  created_at: string;
  finished_at: string | null;
  cancelled_by: string | null;
  stop_reason: string | null;
  waits: boolean;
}

export interface OperationsNextParameters {
  kind: string;
}
export interface OperationsNextRow {
  operation_id: string;
  action: string;
  refusals: number;
}

export interface OperationsOfActorParameters {
  actor: string;
}
export interface OperationsOfActorRow {
  operation_id: string;
  action: string;
  total: number;
}

export interface OperationsRefusedParameters {
  operation_id: string;
}
export interface OperationsRefusedRow {
  refusals: number;
}

export interface OperationsStopParameters {
  operation_id: string;
  reason: string;
}
export interface OperationsStopRow {
  operation_id: string;
}

export interface OperationsWithoutKeyParameters {
  kind: string;
}
export interface OperationsWithoutKeyRow {
  operation_id: string;
  actor: string;
}

export interface OperatorActionsLatestParameters {
  subject: string;
  action: string;
}
export interface OperatorActionsLatestRow {
  actor: string;
  at: string;
}

export interface OperatorActionsListParameters {
  actor: string | null;
  action: string | null;
  operation_id: string | null;
  since: string | null;
  until: string | null;
  before_action_id: string;
  limit: number;
  scan: number;
}
export interface OperatorActionsListRow {
  action_id: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  reason: string;
  detail: Json;
  matches: boolean;
  examined: number;
}

export interface OperatorActionsOfSubjectsParameters {
  subject: readonly string[];
  before_action_id: string;
  limit: number;
}
export interface OperatorActionsOfSubjectsRow {
  action_id: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  reason: string;
  detail: Json;
}

export interface SecretsFindParameters {
  name: string;
}
export interface SecretsFindRow {
  value: Uint8Array;
}

export interface JourneyByKeyParameters {
  idempotency_key: readonly string[];
  limit: number;
}
export interface JourneyByKeyRow {
  order_id: string;
  idempotency_key: string;
}

export interface JourneyClientsParameters {
  limit: number;
}
export interface JourneyClientsRow {
  client_id: string;
}

export interface JourneyOrdersParameters {
  order_id: readonly string[];
}
export interface JourneyOrdersRow {
  order_id: string;
  idempotency_key: string;
  client_id: string;
  request: Json;
  status: string;
  reason_code: string | null;
  reason: string | null;
  broker_order_id: string | null;
  broker_answer: Json | null;
  accepted_at: string;
  settled_at: string | null;
  outbox: Json | null;
  calls: Json;
  history: Json;
}

export interface OrdersSql {
  api_keys: {
    append(parameters: ApiKeysAppendParameters): Promise<ApiKeysAppendRow[]>;
    find(parameters: ApiKeysFindParameters): Promise<ApiKeysFindRow[]>;
    list(): Promise<ApiKeysListRow[]>;
    revoke(parameters: ApiKeysRevokeParameters): Promise<ApiKeysRevokeRow[]>;
  };
  flow: {
    add(parameters: FlowAddParameters): Promise<FlowAddRow[]>;
    cleanup(parameters: FlowCleanupParameters): Promise<FlowCleanupRow[]>;
    series(parameters: FlowSeriesParameters): Promise<FlowSeriesRow[]>;
  };
  operations: {
    actors(): Promise<OperationsActorsRow[]>;
    cancel(parameters: OperationsCancelParameters): Promise<OperationsCancelRow[]>;
    cleanup(parameters: OperationsCleanupParameters): Promise<OperationsCleanupRow[]>;
    cleanup_items(parameters: OperationsCleanupItemsParameters): Promise<OperationsCleanupItemsRow[]>;
    confirm(parameters: OperationsConfirmParameters): Promise<OperationsConfirmRow[]>;
    fail_item(parameters: OperationsFailItemParameters): Promise<OperationsFailItemRow[]>;
    find(parameters: OperationsFindParameters): Promise<OperationsFindRow[]>;
    items(parameters: OperationsItemsParameters): Promise<OperationsItemsRow[]>;
    list(parameters: OperationsListParameters): Promise<OperationsListRow[]>;
    next(parameters: OperationsNextParameters): Promise<OperationsNextRow[]>;
    of_actor(parameters: OperationsOfActorParameters): Promise<OperationsOfActorRow[]>;
    refused(parameters: OperationsRefusedParameters): Promise<OperationsRefusedRow[]>;
    stop(parameters: OperationsStopParameters): Promise<OperationsStopRow[]>;
    without_key(parameters: OperationsWithoutKeyParameters): Promise<OperationsWithoutKeyRow[]>;
  };
  operator_actions: {
    latest(parameters: OperatorActionsLatestParameters): Promise<OperatorActionsLatestRow[]>;
    list(parameters: OperatorActionsListParameters): Promise<OperatorActionsListRow[]>;
    of_subjects(parameters: OperatorActionsOfSubjectsParameters): Promise<OperatorActionsOfSubjectsRow[]>;
  };
  secrets: {
    find(parameters: SecretsFindParameters): Promise<SecretsFindRow[]>;
  };
  journey: {
    by_key(parameters: JourneyByKeyParameters): Promise<JourneyByKeyRow[]>;
    clients(parameters: JourneyClientsParameters): Promise<JourneyClientsRow[]>;
    orders(parameters: JourneyOrdersParameters): Promise<JourneyOrdersRow[]>;
  };
}

