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

export interface ErasuresNoteParameters {
  pseudonym: string;
  waiting_for: readonly string[];
  progress: Json;
}
export interface ErasuresNoteRow {
  pseudonym: string;
}

export interface ErasuresOpenRow {
  pseudonym: string;
  user_id: string;
  emails: Json;
  progress: Json;
}

export interface ErasuresStartParameters {
  pseudonym: string;
  user_id: string;
  emails: readonly string[];
  requested_by: string;
  reason: string;
}
export interface ErasuresStartRow {
  state: string;
  waiting_for: Json;
  changed: Json;
}

export interface ErasuresStepParameters {
  pseudonym: string;
  batch: number;
}
export interface ErasuresStepRow {
  more: boolean;
}

export interface FlowAddParameters {
  minute: readonly string[];
  step: readonly string[];
  count: readonly number[];
  buckets: readonly string[];
  slowest_id: readonly (string | null)[];
  slowest_ms: readonly (number | null)[];
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

export interface FlowSlowestParameters {
  minutes: number;
}
export interface FlowSlowestRow {
  step: string;
  id: string;
  took_ms: number;
  minute: string;
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

export interface PausesListRow {
  role: string;
  paused_at: string;
  paused_by: string;
  reason: string;
}

export interface PausesPauseParameters {
  role: string;
  actor: string;
  reason: string;
}
export interface PausesPauseRow {
  role: string;
}

export interface PausesResumeParameters {
  role: string;
  actor: string;
  reason: string;
}
export interface PausesResumeRow {
  role: string;
}

export interface SecretsFindParameters {
  name: string;
}
export interface SecretsFindRow {
  value: Uint8Array;
}

export interface WorkersListRow {
  worker: string;
  role: string;
  version: string;
  started_at: string;
  age_seconds: number;
  parts: Json;
}

export interface WorkersReportParameters {
  worker: string;
  role: string;
  version: string;
  parts: Json;
}
export interface WorkersReportRow {
  worker: string;
}

export interface BulkDiscardParameters {
  operation_id: string;
  position: number | null;
  limit: number;
}
export interface BulkDiscardRow {
  operation_id: string;
  status: string;
  changed: number;
  unchanged: number;
}

export interface BulkItemsParameters {
  operation_id: string;
  result: string | null;
  outcome: string | null;
  after_position: number;
  limit: number;
  scan: number;
}
export interface BulkItemsRow {
  position: number;
  subject: string;
  result: string;
  note: string | null;
  outcome: string | null;
  error: string | null;
  matches: boolean;
  examined: number;
}

export interface BulkOutcomesParameters {
  operation_id: readonly string[];
  scan: readonly number[];
}
export interface BulkOutcomesRow {
  operation_id: string;
  outcome: string;
  count: number;
}

export interface BulkPreviewParameters {
  status: string | null;
  type: string | null;
  user_id: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  action: string;
}
export interface BulkPreviewRow {
  eligible: number;
  set_hash: string;
  sample: readonly string[];
}

export interface BulkRequeueParameters {
  operation_id: string;
  position: number | null;
  limit: number;
}
export interface BulkRequeueRow {
  operation_id: string;
  status: string;
  changed: number;
  unchanged: number;
}

export interface BulkRetryParameters {
  operation_id: string;
  position: number | null;
  limit: number;
}
export interface BulkRetryRow {
  operation_id: string;
  status: string;
  changed: number;
  unchanged: number;
}

export interface BulkStartParameters {
  status: string | null;
  type: string | null;
  user_id: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  action: string;
  filter: Json;
  set_hash: string;
  expected: number;
  actor: string;
  reason: string;
}
export interface BulkStartRow {
  operation_id: string;
}

export interface ConsistencyDisagreeingParameters {
  scan: number;
}
export interface ConsistencyDisagreeingRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyUnknownParameters {
  most: number;
}
export interface ConsistencyUnknownRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyUnrecordedParameters {
  scan: number;
}
export interface ConsistencyUnrecordedRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyUnsentParameters {
  scan: number;
}
export interface ConsistencyUnsentRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
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

export interface LedgerAcceptParameters {
  idempotency_key: string;
  client_id: string;
  request_digest: string;
  order_request: Json;
  expires_at: string | null;
  ahead_seconds: number;
  traceparent: string;
}
export interface LedgerAcceptRow {
  order_id: string | null;
  accepted_at: string | null;
  in_time: boolean;
}

export interface LedgerCancelParameters {
  idempotency_key: string;
  reason: string;
}
export interface LedgerCancelRow {
  order_id: string;
  attempts: number;
}

export interface LedgerCleanupParameters {
  retention_seconds: number;
  limit: number;
}
export interface LedgerCleanupRow {
  order_id: string;
}

export interface LedgerFindParameters {
  idempotency_key: readonly string[];
  settled_only: boolean;
}
export interface LedgerFindRow {
  idempotency_key: string;
  order_id: string;
  status: string;
  order_request_json: Json;
  request_digest: string;
  accepted_at: string;
  settled_at: string | null;
  attempts: number;
  outbox_status: string | null;
  outcome_unknown: boolean;
  reason_code: string | null;
  reason: string | null;
  broker_order_id: string | null;
  broker_answer: Json | null;
}

export interface LedgerListParameters {
  client_id: string;
  status: readonly string[];
  before: string;
  before_order_id: string;
  since: string;
  limit: number;
}
export interface LedgerListRow {
  idempotency_key: string;
  order_id: string;
  status: string;
  order_request_json: Json;
  request_digest: string;
  accepted_at: string;
  settled_at: string | null;
  attempts: number;
  outbox_status: string | null;
  outcome_unknown: boolean;
  reason_code: string | null;
  reason: string | null;
  broker_order_id: string | null;
  broker_answer: Json | null;
}

export interface OrdersAskedParameters {
  order_id: string;
  actor: string;
  reason: string;
  answer: string;
  call: Json;
}
export interface OrdersAskedRow {
  order_id: string;
  is_due: boolean;
}

export interface OrdersAttemptsParameters {
  order_id: string;
}
export interface OrdersAttemptsRow {
  number: number;
  kind: string;
  worker: string;
  adapter: string;
  started_at: string;
  duration_ms: number;
  outcome: string;
  code: string | null;
  message: string | null;
}

export interface OrdersAttentionParameters {
  most: number;
}
export interface OrdersAttentionRow {
  count: number;
  more: boolean;
  unknown_count: number;
  unknown_more: boolean;
}

export interface OrdersClaimParameters {
  worker: string;
  token: string;
  limit: number;
  lease_seconds: number;
  from: string;
}
export interface OrdersClaimRow {
  order_id: string;
  aggregate_key: string;
  idempotency_key: string;
  broker_key: string;
  order_request_json: Json;
  traceparent: string;
  attempts: number;
  outcome_unknown: boolean;
  asks: number;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_seconds: number | null;
  expires_in_seconds: number | null;
  queued_seconds: number;
}

export interface OrdersCleanupParameters {
  retention_seconds: number;
  limit: number;
}
export interface OrdersCleanupRow {
  order_id: string;
}

export interface OrdersCountsParameters {
  status: readonly string[];
  type: string | null;
  user_id: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  most: number;
  scan: number;
  scan_all: number;
}
export interface OrdersCountsRow {
  status: string;
  count: number;
  more: boolean;
}

export interface OrdersCountsAllParameters {
  most: number;
}
export interface OrdersCountsAllRow {
  status: string;
  count: number;
  more: boolean;
}

export interface OrdersDepthParameters {
  due_from: string;
  lease_from: string;
}
export interface OrdersDepthRow {
  pending: number;
  failed: number;
  sending: number;
  aborted: number;
  unknown: number;
  oldest_pending_seconds: number;
}

export interface OrdersDiscardParameters {
  id: string;
  actor: string;
  reason: string;
}
export interface OrdersDiscardRow {
  order_id: string;
}

export interface OrdersFindParameters {
  id: string;
}
export interface OrdersFindRow {
  order_id: string;
  idempotency_key: string;
  broker_key: string;
  client_id: string;
  symbol: string;
  side: string;
  quantity: string;
  order_type: string;
  limit_price: string | null;
  client_tag: string | null;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  asks: number;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_at: string | null;
  created_at: string;
  updated_at: string;
  queued_at: string;
  settled_at: string | null;
  next_attempt_at: string;
  expires_at: string | null;
  locked_by: string | null;
  lease_until: string | null;
  request_digest: string;
  order_request_json: Json;
  broker_order_id: string | null;
  traceparent: string;
  trace_id: string;
  ledger: Json | null;
}

export interface OrdersGiveUpParameters {
  worker: string;
  limit: number;
  away_seconds: number | null;
  expiry_from: string;
}
export interface OrdersGiveUpRow {
  order_id: string;
  idempotency_key: string;
  status: string;
  attempts: number;
  code: string;
}

export interface OrdersGroupsParameters {
  status: string | null;
  type: string | null;
  user_id: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  limit: number;
  scan: number;
  scan_user: number;
}
export interface OrdersGroupsRow {
  fingerprint: string;
  count: number;
  more: boolean;
  first_at: string | null;
  last_at: string | null;
  sample_error: string | null;
  sample_id: string | null;
}

export interface OrdersGroupsRetryingParameters {
  type: string | null;
  user_id: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  limit: number;
  scan: number;
  scan_user: number;
}
export interface OrdersGroupsRetryingRow {
  fingerprint: string;
  count: number;
  more: boolean;
  first_at: string | null;
  last_at: string | null;
  next_at: string | null;
  sample_error: string | null;
  sample_id: string | null;
}

export interface OrdersHeadParameters {
  from: string;
  look: number;
}
export interface OrdersHeadRow {
  bound: string;
  reach: string | null;
}

export interface OrdersHistoryParameters {
  order_id: string;
}
export interface OrdersHistoryRow {
  entry_id: string;
  at: string;
  actor: string;
  from_status: string | null;
  to_status: string;
  reason: string;
}

export interface OrdersLeasesRunOutParameters {
  most: number;
}
export interface OrdersLeasesRunOutRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface OrdersOldestExpiryParameters {
  from: string;
}
export interface OrdersOldestExpiryRow {
  bound: string;
}

export interface OrdersOldestLeaseParameters {
  from: string;
}
export interface OrdersOldestLeaseRow {
  bound: string;
  has_ended: boolean | null;
}

export interface OrdersOldestPendingRow {
  oldest_pending_at: string | null;
}

export interface OrdersOverdueParameters {
  overdue_seconds: number;
}
export interface OrdersOverdueRow {
  order_id: string;
}

export interface OrdersPageParameters {
  status: string | null;
  type: string | null;
  user_id: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  before_id: string;
  limit: number;
  scan: number;
}
export interface OrdersPageRow {
  order_id: string;
  idempotency_key: string;
  client_id: string;
  symbol: string;
  side: string;
  quantity: string;
  order_type: string;
  limit_price: string | null;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_at: string | null;
  created_at: string;
  settled_at: string | null;
  next_attempt_at: string;
  expires_at: string | null;
  broker_order_id: string | null;
  trace_id: string;
  matches: boolean;
  examined: number;
}

export interface OrdersPageFailedAtParameters {
  type: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  before_at: string;
  before_id: string;
  limit: number;
  scan: number;
}
export interface OrdersPageFailedAtRow {
  order_id: string;
  idempotency_key: string;
  client_id: string;
  symbol: string;
  side: string;
  quantity: string;
  order_type: string;
  limit_price: string | null;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_at: string | null;
  created_at: string;
  settled_at: string | null;
  next_attempt_at: string;
  expires_at: string | null;
  broker_order_id: string | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OrdersPageFailedAttemptsParameters {
  type: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  before_attempts: number;
  before_id: string;
  limit: number;
  scan: number;
}
export interface OrdersPageFailedAttemptsRow {
  order_id: string;
  idempotency_key: string;
  client_id: string;
  symbol: string;
  side: string;
  quantity: string;
  order_type: string;
  limit_price: string | null;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_at: string | null;
  created_at: string;
  settled_at: string | null;
  next_attempt_at: string;
  expires_at: string | null;
  broker_order_id: string | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OrdersPageHeldParameters {
  type: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  after_at: string;
  after_id: string;
  limit: number;
  scan: number;
}
export interface OrdersPageHeldRow {
  order_id: string;
  idempotency_key: string;
  client_id: string;
  symbol: string;
  side: string;
  quantity: string;
  order_type: string;
  limit_price: string | null;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_at: string | null;
  created_at: string;
  settled_at: string | null;
  next_attempt_at: string;
  expires_at: string | null;
  broker_order_id: string | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OrdersPageRetryingParameters {
  type: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  before_at: string;
  before_id: string;
  limit: number;
  scan: number;
}
export interface OrdersPageRetryingRow {
  order_id: string;
  idempotency_key: string;
  client_id: string;
  symbol: string;
  side: string;
  quantity: string;
  order_type: string;
  limit_price: string | null;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_at: string | null;
  created_at: string;
  settled_at: string | null;
  next_attempt_at: string;
  expires_at: string | null;
  broker_order_id: string | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OrdersPageWaitingParameters {
  type: string | null;
  error: string | null;
  fingerprint: string | null;
  min_attempts: number | null;
  created_from: string | null;
  created_to: string | null;
  after_at: string;
  after_id: string;
  limit: number;
  scan: number;
}
export interface OrdersPageWaitingRow {
  order_id: string;
  idempotency_key: string;
  client_id: string;
  symbol: string;
  side: string;
  quantity: string;
  order_type: string;
  limit_price: string | null;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_at: string | null;
  created_at: string;
  settled_at: string | null;
  next_attempt_at: string;
  expires_at: string | null;
  broker_order_id: string | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OrdersReclaimParameters {
  limit: number;
  from: string;
}
export interface OrdersReclaimRow {
  order_id: string;
  locked_by: string;
}

export interface OrdersReleaseParameters {
  token: string;
  order_id: readonly string[];
}
export interface OrdersReleaseRow {
  order_id: string;
}

export interface OrdersReleaseClaimsParameters {
  token: readonly string[];
}
export interface OrdersReleaseClaimsRow {
  order_id: string;
  claim_token: string;
}

export interface OrdersRenewParameters {
  token: string;
  order_id: readonly string[];
  lease_seconds: number;
}
export interface OrdersRenewRow {
  order_id: string;
}

export interface OrdersRequeueParameters {
  order_id: readonly string[];
  actor: string;
  reason: string;
}
export interface OrdersRequeueRow {
  order_id: string;
}

export interface OrdersResolveParameters {
  order_id: string;
  actor: string;
  action: string;
  reason: string;
  status: string;
  code: string | null;
  message: string | null;
  broker_order_id: string | null;
  broker_answer: Json | null;
  call: Json | null;
}
export interface OrdersResolveRow {
  order_id: string;
  status: string;
}

export interface OrdersRetryNowParameters {
  id: string;
  actor: string;
  reason: string;
}
export interface OrdersRetryNowRow {
  order_id: string;
  status: string;
  attempts: number;
  next_attempt_at: string;
}

export interface OrdersSettleParameters {
  token: string;
  worker: string;
  adapter: string;
  order_id: string;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  asks: number;
  code: string | null;
  message: string | null;
  delay_seconds: number;
  broker_order_id: string | null;
  broker_answer: Json | null;
  calls: Json;
}
export interface OrdersSettleRow {
  order_id: string;
  status: string;
  attempts: number;
}

export interface OrdersUnknownParameters {
  after_id: string;
  limit: number;
}
export interface OrdersUnknownRow {
  order_id: string;
  idempotency_key: string;
  client_id: string;
  symbol: string;
  side: string;
  quantity: string;
  order_type: string;
  limit_price: string | null;
  status: string;
  attempts: number;
  outcome_unknown: boolean;
  last_error_code: string | null;
  last_error_msg: string | null;
  failed_at: string | null;
  created_at: string;
  settled_at: string | null;
  next_attempt_at: string;
  expires_at: string | null;
  broker_order_id: string | null;
  trace_id: string;
  unknown_since: string;
}

export interface OrdersSql {
  api_keys: {
    append(parameters: ApiKeysAppendParameters): Promise<ApiKeysAppendRow[]>;
    find(parameters: ApiKeysFindParameters): Promise<ApiKeysFindRow[]>;
    list(): Promise<ApiKeysListRow[]>;
    revoke(parameters: ApiKeysRevokeParameters): Promise<ApiKeysRevokeRow[]>;
  };
  erasures: {
    note(parameters: ErasuresNoteParameters): Promise<ErasuresNoteRow[]>;
    open(): Promise<ErasuresOpenRow[]>;
    start(parameters: ErasuresStartParameters): Promise<ErasuresStartRow[]>;
    step(parameters: ErasuresStepParameters): Promise<ErasuresStepRow[]>;
  };
  flow: {
    add(parameters: FlowAddParameters): Promise<FlowAddRow[]>;
    cleanup(parameters: FlowCleanupParameters): Promise<FlowCleanupRow[]>;
    series(parameters: FlowSeriesParameters): Promise<FlowSeriesRow[]>;
    slowest(parameters: FlowSlowestParameters): Promise<FlowSlowestRow[]>;
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
  pauses: {
    list(): Promise<PausesListRow[]>;
    pause(parameters: PausesPauseParameters): Promise<PausesPauseRow[]>;
    resume(parameters: PausesResumeParameters): Promise<PausesResumeRow[]>;
  };
  secrets: {
    find(parameters: SecretsFindParameters): Promise<SecretsFindRow[]>;
  };
  workers: {
    list(): Promise<WorkersListRow[]>;
    report(parameters: WorkersReportParameters): Promise<WorkersReportRow[]>;
  };
  bulk: {
    discard(parameters: BulkDiscardParameters): Promise<BulkDiscardRow[]>;
    items(parameters: BulkItemsParameters): Promise<BulkItemsRow[]>;
    outcomes(parameters: BulkOutcomesParameters): Promise<BulkOutcomesRow[]>;
    preview(parameters: BulkPreviewParameters): Promise<BulkPreviewRow[]>;
    requeue(parameters: BulkRequeueParameters): Promise<BulkRequeueRow[]>;
    retry(parameters: BulkRetryParameters): Promise<BulkRetryRow[]>;
    start(parameters: BulkStartParameters): Promise<BulkStartRow[]>;
  };
  consistency: {
    disagreeing(parameters: ConsistencyDisagreeingParameters): Promise<ConsistencyDisagreeingRow[]>;
    unknown(parameters: ConsistencyUnknownParameters): Promise<ConsistencyUnknownRow[]>;
    unrecorded(parameters: ConsistencyUnrecordedParameters): Promise<ConsistencyUnrecordedRow[]>;
    unsent(parameters: ConsistencyUnsentParameters): Promise<ConsistencyUnsentRow[]>;
  };
  journey: {
    by_key(parameters: JourneyByKeyParameters): Promise<JourneyByKeyRow[]>;
    clients(parameters: JourneyClientsParameters): Promise<JourneyClientsRow[]>;
    orders(parameters: JourneyOrdersParameters): Promise<JourneyOrdersRow[]>;
  };
  ledger: {
    accept(parameters: LedgerAcceptParameters): Promise<LedgerAcceptRow[]>;
    cancel(parameters: LedgerCancelParameters): Promise<LedgerCancelRow[]>;
    cleanup(parameters: LedgerCleanupParameters): Promise<LedgerCleanupRow[]>;
    find(parameters: LedgerFindParameters): Promise<LedgerFindRow[]>;
    list(parameters: LedgerListParameters): Promise<LedgerListRow[]>;
  };
  orders: {
    asked(parameters: OrdersAskedParameters): Promise<OrdersAskedRow[]>;
    attempts(parameters: OrdersAttemptsParameters): Promise<OrdersAttemptsRow[]>;
    attention(parameters: OrdersAttentionParameters): Promise<OrdersAttentionRow[]>;
    claim(parameters: OrdersClaimParameters): Promise<OrdersClaimRow[]>;
    cleanup(parameters: OrdersCleanupParameters): Promise<OrdersCleanupRow[]>;
    counts(parameters: OrdersCountsParameters): Promise<OrdersCountsRow[]>;
    counts_all(parameters: OrdersCountsAllParameters): Promise<OrdersCountsAllRow[]>;
    depth(parameters: OrdersDepthParameters): Promise<OrdersDepthRow[]>;
    discard(parameters: OrdersDiscardParameters): Promise<OrdersDiscardRow[]>;
    find(parameters: OrdersFindParameters): Promise<OrdersFindRow[]>;
    give_up(parameters: OrdersGiveUpParameters): Promise<OrdersGiveUpRow[]>;
    groups(parameters: OrdersGroupsParameters): Promise<OrdersGroupsRow[]>;
    groups_retrying(parameters: OrdersGroupsRetryingParameters): Promise<OrdersGroupsRetryingRow[]>;
    head(parameters: OrdersHeadParameters): Promise<OrdersHeadRow[]>;
    history(parameters: OrdersHistoryParameters): Promise<OrdersHistoryRow[]>;
    leases_run_out(parameters: OrdersLeasesRunOutParameters): Promise<OrdersLeasesRunOutRow[]>;
    oldest_expiry(parameters: OrdersOldestExpiryParameters): Promise<OrdersOldestExpiryRow[]>;
    oldest_lease(parameters: OrdersOldestLeaseParameters): Promise<OrdersOldestLeaseRow[]>;
    oldest_pending(): Promise<OrdersOldestPendingRow[]>;
    overdue(parameters: OrdersOverdueParameters): Promise<OrdersOverdueRow[]>;
    page(parameters: OrdersPageParameters): Promise<OrdersPageRow[]>;
    page_failed_at(parameters: OrdersPageFailedAtParameters): Promise<OrdersPageFailedAtRow[]>;
    page_failed_attempts(parameters: OrdersPageFailedAttemptsParameters): Promise<OrdersPageFailedAttemptsRow[]>;
    page_held(parameters: OrdersPageHeldParameters): Promise<OrdersPageHeldRow[]>;
    page_retrying(parameters: OrdersPageRetryingParameters): Promise<OrdersPageRetryingRow[]>;
    page_waiting(parameters: OrdersPageWaitingParameters): Promise<OrdersPageWaitingRow[]>;
    reclaim(parameters: OrdersReclaimParameters): Promise<OrdersReclaimRow[]>;
    release(parameters: OrdersReleaseParameters): Promise<OrdersReleaseRow[]>;
    release_claims(parameters: OrdersReleaseClaimsParameters): Promise<OrdersReleaseClaimsRow[]>;
    renew(parameters: OrdersRenewParameters): Promise<OrdersRenewRow[]>;
    requeue(parameters: OrdersRequeueParameters): Promise<OrdersRequeueRow[]>;
    resolve(parameters: OrdersResolveParameters): Promise<OrdersResolveRow[]>;
    retry_now(parameters: OrdersRetryNowParameters): Promise<OrdersRetryNowRow[]>;
    settle(parameters: OrdersSettleParameters): Promise<OrdersSettleRow[]>;
    unknown(parameters: OrdersUnknownParameters): Promise<OrdersUnknownRow[]>;
  };
}

