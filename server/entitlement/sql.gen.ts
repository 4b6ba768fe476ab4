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

export interface AuditDropPartitionsParameters {
  keep: number;
}
export interface AuditDropPartitionsRow {
  partition: string;
}

export interface AuditHistoryParameters {
  user_id: string;
  stock_keeping_unit: string;
  before_version: number;
  limit: number;
}
export interface AuditHistoryRow {
  version: number;
  status: string;
  at: string;
  event_id: string;
  client_id: string;
  detail: Json;
}

export interface AuditHorizonParameters {
  keep_months: number;
  as_of: string;
}
export interface AuditHorizonRow {
  horizon: string;
  too_old: boolean;
  in_future: boolean;
}

export interface AuditMakePartitionsParameters {
  ahead: number;
}
export interface AuditMakePartitionsRow {
  partition: string;
}

export interface AuditOfUserParameters {
  user_id: string;
  before_event_id: string;
  limit: number;
}
export interface AuditOfUserRow {
  event_id: string;
  stock_keeping_unit: string;
  status: string;
  version: number;
  at: string;
  previous_at: string | null;
  client_id: string;
  detail: Json;
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

export interface BulkResendParameters {
  operation_id: string;
  position: number | null;
  limit: number;
}
export interface BulkResendRow {
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

export interface ChangeParameters {
  client_id: readonly string[];
  route: readonly string[];
  idem_key: readonly string[];
  request_hash: readonly string[];
  ttl_seconds: number;
  user_id: readonly string[];
  stock_keeping_unit: readonly string[];
  target: readonly string[];
  source: readonly string[];
  source_id: readonly string[];
  traceparent: readonly string[];
  conflict_body: readonly string[];
  operator_reason: readonly (string | null)[];
  worker: string | null;
  token: string | null;
  lease_seconds: number | null;
  stream: string | null;
  resend_before: string | null;
}
export interface ChangeRow {
  n: number;
  replayed: boolean;
  same_request: boolean;
  response_code: number;
  response_body: string;
  claimed_id: string | null;
  claimed_payload: Json | null;
}

export interface ConsistencyLostParameters {
  stream: string;
  most: number;
}
export interface ConsistencyLostRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyMissingParameters {
  most: number;
}
export interface ConsistencyMissingRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyStreamParameters {
  stream: string;
}
export interface ConsistencyStreamRow {
  stream: string;
  incarnation: string;
  last_seq: number;
  resend_before: string | null;
  observed_at: string;
}

export interface ConsistencyUnannouncedParameters {
  retention_seconds: number;
  scan: number;
}
export interface ConsistencyUnannouncedRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyUnauditedParameters {
  scan: number;
}
export interface ConsistencyUnauditedRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyUnconfirmedParameters {
  older_than_seconds: number;
  younger_than_seconds: number | null;
  most: number;
}
export interface ConsistencyUnconfirmedRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyVersionsParameters {
  scan: number;
}
export interface ConsistencyVersionsRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface IdempotencyCleanupParameters {
  limit: number;
}
export interface IdempotencyCleanupRow {
  idem_key: string;
}

export interface IdempotencyFindParameters {
  idem_key: string;
  limit: number;
}
export interface IdempotencyFindRow {
  client_id: string;
  route: string;
  request_hash: string;
  response_code: number;
  response_body: string;
  created_at: string;
  expires_at: string;
  expired: boolean;
  replays: number;
  replayed_at: string | null;
  event_id: string | null;
}

export interface IdempotencyReplayedParameters {
  client_id: readonly string[];
  route: readonly string[];
  idem_key: readonly string[];
  replays: readonly number[];
}
export interface IdempotencyReplayedRow {
  idem_key: string;
}

export interface JourneyByIdempotencyKeyParameters {
  idem_key: string;
  limit: number;
}
export interface JourneyByIdempotencyKeyRow {
  client_id: string;
  route: string;
  response_code: number;
  event_id: string | null;
}

export interface JourneyByPurchaseParameters {
  purchase_id: string;
  limit: number;
}
export interface JourneyByPurchaseRow {
  event_id: string;
}

export interface JourneyByTraceParameters {
  trace_id: string;
  limit: number;
}
export interface JourneyByTraceRow {
  event_id: string;
}

export interface JourneyEventsParameters {
  event_id: readonly string[];
}
export interface JourneyEventsRow {
  event_id: string;
  event_type: string;
  user_id: string;
  stock_keeping_unit: string;
  aggregate_version: number;
  status: string | null;
  attempt_count: number | null;
  last_error: string | null;
  created_at: string;
  published_at: string | null;
  next_retry_at: string | null;
  confirmed_at: string | null;
  missing_at: string | null;
  publish_generation: number | null;
  stream_seq: number | null;
  stream_duplicate: boolean | null;
  trace_id: string;
  payload: Json | null;
  audit: Json | null;
  idempotency: Json | null;
}

export interface KnownParameters {
  user_id: string;
  stock_keeping_unit: string;
}
export interface KnownRow {
  known: boolean;
}

export interface ListParameters {
  user_id: string;
  after: string;
  limit: number;
}
export interface ListRow {
  stock_keeping_unit: string;
  status: string;
  version: number;
  updated_at: string;
}

export interface ListAsOfParameters {
  user_id: string;
  as_of: string;
  after: string;
  limit: number;
  scan: number;
}
export interface ListAsOfRow {
  stock_keeping_unit: string;
  status: string;
  version: number;
  updated_at: string;
  matches: boolean;
  examined: number;
}

export interface OutboxClaimParameters {
  worker: string;
  token: string;
  limit: number;
  lease_seconds: number;
  from: string;
  stream: string;
  resend_before: string | null;
  look: number;
}
export interface OutboxClaimRow {
  event_id: string;
  event_type: string;
  aggregate_key: string;
  aggregate_version: number;
  payload: Json;
  traceparent: string;
  attempt_count: number;
  publish_generation: number;
}

export interface OutboxCleanupParameters {
  retention_seconds: number;
  limit: number;
}
export interface OutboxCleanupRow {
  event_id: string;
}

export interface OutboxConfirmParameters {
  event_id: readonly string[];
}
export interface OutboxConfirmRow {
  event_id: string;
}

export interface OutboxCountsParameters {
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
export interface OutboxCountsRow {
  status: string;
  count: number;
  more: boolean;
}

export interface OutboxCountsAllParameters {
  most: number;
  scan_all: number;
}
export interface OutboxCountsAllRow {
  status: string;
  count: number;
  more: boolean;
}

export interface OutboxDepthParameters {
  due_from: string;
  lease_from: string;
  published_from: string;
}
export interface OutboxDepthRow {
  pending: number;
  in_flight: number;
  failed: number;
  unconfirmed: number;
  oldest_pending_seconds: number;
  unconfirmed_from: string;
}

export interface OutboxDiscardParameters {
  id: string;
  actor: string;
  reason: string;
}
export interface OutboxDiscardRow {
  event_id: string;
}

export interface OutboxFailedParameters {
  before_id: string;
  limit: number;
}
export interface OutboxFailedRow {
  event_id: string;
  event_type: string;
  aggregate_key: string;
  aggregate_version: number;
  attempt_count: number;
  last_error: string | null;
  failed_at: string;
  publish_generation: number;
  created_at: string;
  trace_id: string;
}

export interface OutboxFinalizeParameters {
  token: string;
  event_id: readonly string[];
  stream_seq: readonly number[];
  stream_duplicate: readonly boolean[];
}
export interface OutboxFinalizeRow {
  event_id: string;
}

export interface OutboxFindParameters {
  id: string;
}
export interface OutboxFindRow {
  event_id: string;
  event_type: string;
  aggregate_key: string;
  aggregate_version: number;
  user_id: string;
  stock_keeping_unit: string;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  publish_generation: number;
  created_at: string;
  next_retry_at: string;
  published_at: string | null;
  stream_seq: number | null;
  stream_duplicate: boolean | null;
  confirmed_at: string | null;
  missing_at: string | null;
  locked_by: string | null;
  locked_at: string | null;
  lease_until: string | null;
  traceparent: string;
  trace_id: string;
  payload: Json;
  requeued_generation: number | null;
}

export interface OutboxGroupsParameters {
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
export interface OutboxGroupsRow {
  fingerprint: string;
  count: number;
  more: boolean;
  first_at: string | null;
  last_at: string | null;
  sample_error: string | null;
  sample_id: string | null;
}

export interface OutboxGroupsRetryingParameters {
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
export interface OutboxGroupsRetryingRow {
  fingerprint: string;
  count: number;
  more: boolean;
  first_at: string | null;
  last_at: string | null;
  next_at: string | null;
  sample_error: string | null;
  sample_id: string | null;
}

export interface OutboxHeadParameters {
  from: string;
  look: number;
}
export interface OutboxHeadRow {
  bound: string;
  reach: string | null;
}

export interface OutboxLeasesRunOutParameters {
  most: number;
}
export interface OutboxLeasesRunOutRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface OutboxObserveParameters {
  stream: string;
  incarnation: string;
  last_seq: number;
  known_last_seq: number;
}
export interface OutboxObserveRow {
  lost: boolean;
  resend_before: string | null;
}

export interface OutboxOldestLeaseParameters {
  from: string;
}
export interface OutboxOldestLeaseRow {
  bound: string;
  has_ended: boolean | null;
}

export interface OutboxOldestPendingRow {
  oldest_pending_at: string | null;
}

export interface OutboxOverdueParameters {
  overdue_seconds: number;
}
export interface OutboxOverdueRow {
  event_id: string;
}

export interface OutboxPageParameters {
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
export interface OutboxPageRow {
  event_id: string;
  event_type: string;
  user_id: string;
  stock_keeping_unit: string;
  aggregate_version: number;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  published_at: string | null;
  next_retry_at: string;
  confirmed_at: string | null;
  publish_generation: number;
  stream_seq: number | null;
  trace_id: string;
  matches: boolean;
  examined: number;
}

export interface OutboxPageFailedAtParameters {
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
export interface OutboxPageFailedAtRow {
  event_id: string;
  event_type: string;
  user_id: string;
  stock_keeping_unit: string;
  aggregate_version: number;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  published_at: string | null;
  next_retry_at: string;
  confirmed_at: string | null;
  publish_generation: number;
  stream_seq: number | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OutboxPageFailedAttemptsParameters {
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
export interface OutboxPageFailedAttemptsRow {
  event_id: string;
  event_type: string;
  user_id: string;
  stock_keeping_unit: string;
  aggregate_version: number;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  published_at: string | null;
  next_retry_at: string;
  confirmed_at: string | null;
  publish_generation: number;
  stream_seq: number | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OutboxPageHeldParameters {
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
export interface OutboxPageHeldRow {
  event_id: string;
  event_type: string;
  user_id: string;
  stock_keeping_unit: string;
  aggregate_version: number;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  published_at: string | null;
  next_retry_at: string;
  confirmed_at: string | null;
  publish_generation: number;
  stream_seq: number | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OutboxPageRetryingParameters {
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
export interface OutboxPageRetryingRow {
  event_id: string;
  event_type: string;
  user_id: string;
  stock_keeping_unit: string;
  aggregate_version: number;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  published_at: string | null;
  next_retry_at: string;
  confirmed_at: string | null;
  publish_generation: number;
  stream_seq: number | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OutboxPageWaitingParameters {
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
export interface OutboxPageWaitingRow {
  event_id: string;
  event_type: string;
  user_id: string;
  stock_keeping_unit: string;
  aggregate_version: number;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  published_at: string | null;
  next_retry_at: string;
  confirmed_at: string | null;
  publish_generation: number;
  stream_seq: number | null;
  trace_id: string;
  at: string;
  matches: boolean;
  examined: number;
}

export interface OutboxReclaimParameters {
  limit: number;
  from: string;
}
export interface OutboxReclaimRow {
  event_id: string;
  locked_by: string;
}

export interface OutboxReleaseParameters {
  token: string;
  event_id: readonly string[];
}
export interface OutboxReleaseRow {
  event_id: string;
}

export interface OutboxReleaseClaimsParameters {
  token: readonly string[];
}
export interface OutboxReleaseClaimsRow {
  event_id: string;
  claim_token: string;
}

export interface OutboxRenewParameters {
  token: string;
  event_id: readonly string[];
  lease_seconds: number;
}
export interface OutboxRenewRow {
  event_id: string;
}

export interface OutboxRequeueParameters {
  event_id: readonly string[];
  actor: string;
  reason: string;
}
export interface OutboxRequeueRow {
  event_id: string;
  publish_generation: number;
}

export interface OutboxResendLostParameters {
  stream: string;
  limit: number;
}
export interface OutboxResendLostRow {
  event_id: string;
}

export interface OutboxResendMissingParameters {
  event_id: readonly string[];
}
export interface OutboxResendMissingRow {
  event_id: string;
}

export interface OutboxRetryParameters {
  token: string;
  event_id: readonly string[];
  delay_seconds: readonly (number | null)[];
  error: readonly string[];
  max_attempts: number;
}
export interface OutboxRetryRow {
  event_id: string;
  status: string;
  attempt_count: number;
}

export interface OutboxRetryNowParameters {
  id: string;
  actor: string;
  reason: string;
}
export interface OutboxRetryNowRow {
  event_id: string;
  status: string;
  attempt_count: number;
  next_retry_at: string;
}

export interface OutboxStreamParameters {
  stream: string;
}
export interface OutboxStreamRow {
  incarnation: string;
  last_seq: number;
  resend_before: string | null;
}

export interface OutboxUnconfirmedParameters {
  after_published_at: string;
  after_event_id: string;
  limit: number;
  overdue_seconds: number;
}
export interface OutboxUnconfirmedRow {
  event_id: string;
  published_at: string;
  overdue: boolean;
}

export interface ReconciliationAskParameters {
  actor: string;
  reason: string;
}
export interface ReconciliationAskRow {
  asked_at: string;
}

export interface ReconciliationFindRow {
  asked_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  worker: string | null;
  outcome: string | null;
  note: string | null;
  looked_at: number | null;
  confirmed: number | null;
  resent: number | null;
  due: boolean;
}

export interface ReconciliationRecordParameters {
  worker: string;
  duration_ms: number;
  outcome: string;
  note: string | null;
  looked_at: number;
  confirmed: number;
  resent: number;
}
export interface ReconciliationRecordRow {
  finished_at: string;
}

export interface ResendPreviewParameters {
  only_missing: boolean;
  since: string | null;
  until: string | null;
  user_id: string | null;
  event_id: readonly string[];
}
export interface ResendPreviewRow {
  eligible: number;
  set_hash: string;
  sample: readonly string[];
  earliest: string | null;
  latest: string | null;
}

export interface ResendStartParameters {
  only_missing: boolean;
  since: string | null;
  until: string | null;
  user_id: string | null;
  event_id: readonly string[];
  filter: Json;
  set_hash: string;
  expected: number;
  actor: string;
  reason: string;
}
export interface ResendStartRow {
  operation_id: string;
}

export interface VerificationFindParameters {
  every_seconds: number;
}
export interface VerificationFindRow {
  due: boolean;
  is_late: boolean;
  asked_at: string;
  pass_before: string | null;
  checked_at: string | null;
  remembers_seconds: number | null;
  full_pass_ended_at: string | null;
  missing: number;
  more: boolean;
  missing_since: string | null;
  earliest: string | null;
  latest: string | null;
  is_complete: boolean;
}

export interface VerificationMarkParameters {
  event_id: readonly string[];
  asked_at: string;
}
export interface VerificationMarkRow {
  event_id: string;
}

export interface VerificationMarkedParameters {
  limit: number;
}
export interface VerificationMarkedRow {
  event_id: string;
}

export interface VerificationPageParameters {
  before: string;
  limit: number;
}
export interface VerificationPageRow {
  event_id: string;
  is_confirmed: boolean;
}

export interface VerificationRecordParameters {
  asked_at: string;
  pass_before: string | null;
  next_before: string | null;
}
export interface VerificationRecordRow {
  is_complete: boolean;
}

export interface VerificationRememberParameters {
  remembers_seconds: number;
}
export interface VerificationRememberRow {
  remembers_seconds: number;
}

export interface VerificationUnmarkParameters {
  event_id: readonly string[];
  asked_at: string;
}
export interface VerificationUnmarkRow {
  event_id: string;
}

export interface EntitlementSql {
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
  audit: {
    drop_partitions(parameters: AuditDropPartitionsParameters): Promise<AuditDropPartitionsRow[]>;
    history(parameters: AuditHistoryParameters): Promise<AuditHistoryRow[]>;
    horizon(parameters: AuditHorizonParameters): Promise<AuditHorizonRow[]>;
    make_partitions(parameters: AuditMakePartitionsParameters): Promise<AuditMakePartitionsRow[]>;
    of_user(parameters: AuditOfUserParameters): Promise<AuditOfUserRow[]>;
  };
  bulk: {
    discard(parameters: BulkDiscardParameters): Promise<BulkDiscardRow[]>;
    items(parameters: BulkItemsParameters): Promise<BulkItemsRow[]>;
    outcomes(parameters: BulkOutcomesParameters): Promise<BulkOutcomesRow[]>;
    preview(parameters: BulkPreviewParameters): Promise<BulkPreviewRow[]>;
    requeue(parameters: BulkRequeueParameters): Promise<BulkRequeueRow[]>;
    resend(parameters: BulkResendParameters): Promise<BulkResendRow[]>;
    retry(parameters: BulkRetryParameters): Promise<BulkRetryRow[]>;
    start(parameters: BulkStartParameters): Promise<BulkStartRow[]>;
  };
  change(parameters: ChangeParameters): Promise<ChangeRow[]>;
  consistency: {
    lost(parameters: ConsistencyLostParameters): Promise<ConsistencyLostRow[]>;
    missing(parameters: ConsistencyMissingParameters): Promise<ConsistencyMissingRow[]>;
    stream(parameters: ConsistencyStreamParameters): Promise<ConsistencyStreamRow[]>;
    unannounced(parameters: ConsistencyUnannouncedParameters): Promise<ConsistencyUnannouncedRow[]>;
    unaudited(parameters: ConsistencyUnauditedParameters): Promise<ConsistencyUnauditedRow[]>;
    unconfirmed(parameters: ConsistencyUnconfirmedParameters): Promise<ConsistencyUnconfirmedRow[]>;
    versions(parameters: ConsistencyVersionsParameters): Promise<ConsistencyVersionsRow[]>;
  };
  idempotency: {
    cleanup(parameters: IdempotencyCleanupParameters): Promise<IdempotencyCleanupRow[]>;
    find(parameters: IdempotencyFindParameters): Promise<IdempotencyFindRow[]>;
    replayed(parameters: IdempotencyReplayedParameters): Promise<IdempotencyReplayedRow[]>;
  };
  journey: {
    by_idempotency_key(parameters: JourneyByIdempotencyKeyParameters): Promise<JourneyByIdempotencyKeyRow[]>;
    by_purchase(parameters: JourneyByPurchaseParameters): Promise<JourneyByPurchaseRow[]>;
    by_trace(parameters: JourneyByTraceParameters): Promise<JourneyByTraceRow[]>;
    events(parameters: JourneyEventsParameters): Promise<JourneyEventsRow[]>;
  };
  known(parameters: KnownParameters): Promise<KnownRow[]>;
  list(parameters: ListParameters): Promise<ListRow[]>;
  list_as_of(parameters: ListAsOfParameters): Promise<ListAsOfRow[]>;
  outbox: {
    claim(parameters: OutboxClaimParameters): Promise<OutboxClaimRow[]>;
    cleanup(parameters: OutboxCleanupParameters): Promise<OutboxCleanupRow[]>;
    confirm(parameters: OutboxConfirmParameters): Promise<OutboxConfirmRow[]>;
    counts(parameters: OutboxCountsParameters): Promise<OutboxCountsRow[]>;
    counts_all(parameters: OutboxCountsAllParameters): Promise<OutboxCountsAllRow[]>;
    depth(parameters: OutboxDepthParameters): Promise<OutboxDepthRow[]>;
    discard(parameters: OutboxDiscardParameters): Promise<OutboxDiscardRow[]>;
    failed(parameters: OutboxFailedParameters): Promise<OutboxFailedRow[]>;
    finalize(parameters: OutboxFinalizeParameters): Promise<OutboxFinalizeRow[]>;
    find(parameters: OutboxFindParameters): Promise<OutboxFindRow[]>;
    groups(parameters: OutboxGroupsParameters): Promise<OutboxGroupsRow[]>;
    groups_retrying(parameters: OutboxGroupsRetryingParameters): Promise<OutboxGroupsRetryingRow[]>;
    head(parameters: OutboxHeadParameters): Promise<OutboxHeadRow[]>;
    leases_run_out(parameters: OutboxLeasesRunOutParameters): Promise<OutboxLeasesRunOutRow[]>;
    observe(parameters: OutboxObserveParameters): Promise<OutboxObserveRow[]>;
    oldest_lease(parameters: OutboxOldestLeaseParameters): Promise<OutboxOldestLeaseRow[]>;
    oldest_pending(): Promise<OutboxOldestPendingRow[]>;
    overdue(parameters: OutboxOverdueParameters): Promise<OutboxOverdueRow[]>;
    page(parameters: OutboxPageParameters): Promise<OutboxPageRow[]>;
    page_failed_at(parameters: OutboxPageFailedAtParameters): Promise<OutboxPageFailedAtRow[]>;
    page_failed_attempts(parameters: OutboxPageFailedAttemptsParameters): Promise<OutboxPageFailedAttemptsRow[]>;
    page_held(parameters: OutboxPageHeldParameters): Promise<OutboxPageHeldRow[]>;
    page_retrying(parameters: OutboxPageRetryingParameters): Promise<OutboxPageRetryingRow[]>;
    page_waiting(parameters: OutboxPageWaitingParameters): Promise<OutboxPageWaitingRow[]>;
    reclaim(parameters: OutboxReclaimParameters): Promise<OutboxReclaimRow[]>;
    release(parameters: OutboxReleaseParameters): Promise<OutboxReleaseRow[]>;
    release_claims(parameters: OutboxReleaseClaimsParameters): Promise<OutboxReleaseClaimsRow[]>;
    renew(parameters: OutboxRenewParameters): Promise<OutboxRenewRow[]>;
    requeue(parameters: OutboxRequeueParameters): Promise<OutboxRequeueRow[]>;
    resend_lost(parameters: OutboxResendLostParameters): Promise<OutboxResendLostRow[]>;
    resend_missing(parameters: OutboxResendMissingParameters): Promise<OutboxResendMissingRow[]>;
    retry(parameters: OutboxRetryParameters): Promise<OutboxRetryRow[]>;
    retry_now(parameters: OutboxRetryNowParameters): Promise<OutboxRetryNowRow[]>;
    stream(parameters: OutboxStreamParameters): Promise<OutboxStreamRow[]>;
    unconfirmed(parameters: OutboxUnconfirmedParameters): Promise<OutboxUnconfirmedRow[]>;
  };
  reconciliation: {
    ask(parameters: ReconciliationAskParameters): Promise<ReconciliationAskRow[]>;
    find(): Promise<ReconciliationFindRow[]>;
    record(parameters: ReconciliationRecordParameters): Promise<ReconciliationRecordRow[]>;
  };
  resend: {
    preview(parameters: ResendPreviewParameters): Promise<ResendPreviewRow[]>;
    start(parameters: ResendStartParameters): Promise<ResendStartRow[]>;
  };
  verification: {
    find(parameters: VerificationFindParameters): Promise<VerificationFindRow[]>;
    mark(parameters: VerificationMarkParameters): Promise<VerificationMarkRow[]>;
    marked(parameters: VerificationMarkedParameters): Promise<VerificationMarkedRow[]>;
    page(parameters: VerificationPageParameters): Promise<VerificationPageRow[]>;
    record(parameters: VerificationRecordParameters): Promise<VerificationRecordRow[]>;
    remember(parameters: VerificationRememberParameters): Promise<VerificationRememberRow[]>;
    unmark(parameters: VerificationUnmarkParameters): Promise<VerificationUnmarkRow[]>;
  };
}

