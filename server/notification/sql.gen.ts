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

export interface AcceptParameters {
  event_id: readonly string[];
  event_type: readonly string[];
  aggregate_key: readonly string[];
  aggregate_version: readonly number[];
  stream_seq: readonly number[];
  user_id: readonly string[];
  payload: readonly Json[];
  traceparent: readonly string[];
  pair_key: readonly string[];
  let_through: readonly number[];
  through_at: readonly number[];
  run_first: readonly number[];
  run_last: readonly number[];
  channel: string;
  worker: string;
  deliver: boolean;
}
export interface AcceptRow {
  event_id: string;
  before: number;
  reached: number;
  waiting: boolean;
  stale: boolean;
  sent_id: string | null;
  position: number | null;
}

export interface AcceptMatchesParameters {
  match_id: readonly string[];
  stream_seq: readonly number[];
  occurred_at: readonly string[];
  session: readonly string[];
  join_id: readonly string[];
  event_id: readonly string[];
  event_type: readonly string[];
  aggregate_key: readonly string[];
  user_id: readonly string[];
  payload: readonly Json[];
  traceparent: readonly string[];
  keep_seconds: number;
  channel: string;
  worker: string;
  deliver: boolean;
}
export interface AcceptMatchesRow {
  match_id: string;
  event_id: string;
  outcome: string;
  announced_in: string | null;
  sent_id: string | null;
  position: number | null;
}

export interface AnnouncedParameters {
  join_id: readonly string[];
  keep_seconds: number;
}
export interface AnnouncedRow {
  join_id: string;
  match_id: string;
  peer_user_ids: Json;
  session: string;
  announced_at: string;
  counts: boolean;
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

export interface CleanupAnnouncedJoinsParameters {
  retention_seconds: number;
  limit: number;
}
export interface CleanupAnnouncedJoinsRow {
  join_id: string;
}

export interface CleanupDiscardedEventsParameters {
  retention_seconds: number;
  limit: number;
}
export interface CleanupDiscardedEventsRow {
  event_id: string;
}

export interface CleanupProcessedEventsParameters {
  retention_seconds: number;
  limit: number;
}
export interface CleanupProcessedEventsRow {
  event_id: string;
}

export interface ConsistencyAnnouncedWithoutNoticeParameters {
  keep_seconds: number;
  scan: number;
}
export interface ConsistencyAnnouncedWithoutNoticeRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyDeadButAliveParameters {
  scan: number;
}
export interface ConsistencyDeadButAliveRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyFailedWithoutDeadLetterParameters {
  scan: number;
}
export interface ConsistencyFailedWithoutDeadLetterRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyFeedGapsParameters {
  scan: number;
}
export interface ConsistencyFeedGapsRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyHalfAnnouncedMatchesParameters {
  keep_seconds: number;
  scan: number;
}
export interface ConsistencyHalfAnnouncedMatchesRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsistencyUntoldParameters {
  retention_seconds: number;
  scan: number;
}
export interface ConsistencyUntoldRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface ConsumedParameters {
  event_id: readonly string[];
}
export interface ConsumedRow {
  event_id: string;
}

export interface FeedAfterParameters {
  user_id: string;
  after_position: number;
  limit: number;
}
export interface FeedAfterRow {
  notification_id: string;
  position: number;
  event_id: string;
  type: string;
  stale: boolean;
  payload: Json;
  created_at: string;
  sent_at: string;
  read_at: string | null;
}

export interface FeedNewestParameters {
  user_id: string;
}
export interface FeedNewestRow {
  position: number;
}

export interface FeedPageParameters {
  user_id: string;
  before_position: number;
  limit: number;
}
export interface FeedPageRow {
  notification_id: string;
  position: number;
  event_id: string;
  type: string;
  stale: boolean;
  payload: Json;
  created_at: string;
  sent_at: string;
  read_at: string | null;
}

export interface FeedReadParameters {
  user_id: string;
  notification_id: readonly string[];
}
export interface FeedReadRow {
  notification_id: string;
}

export interface FeedReadUpToParameters {
  user_id: string;
  after_position: number;
  up_to: number;
  limit: number;
}
export interface FeedReadUpToRow {
  position: number;
}

export interface FeedStateParameters {
  user_id: string;
}
export interface FeedStateRow {
  position: number;
  unread: number;
}

export interface FeedUnreadParameters {
  user_id: string;
  before_position: number;
  limit: number;
}
export interface FeedUnreadRow {
  notification_id: string;
  position: number;
  event_id: string;
  type: string;
  stale: boolean;
  payload: Json;
  created_at: string;
  sent_at: string;
  read_at: string | null;
}

export interface JourneyByTraceParameters {
  trace_id: string;
  limit: number;
}
export interface JourneyByTraceRow {
  event_id: string;
}

export interface JourneyNotificationsParameters {
  id: readonly string[];
}
export interface JourneyNotificationsRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  type: string;
  aggregate_version: number;
  stale: boolean;
  channel: string;
  status: string;
  attempt_count: number;
  last_error: string | null;
  created_at: string;
  sent_at: string | null;
  next_retry_at: string;
  position: number | null;
  read_at: string | null;
  trace_id: string;
  payload: Json;
  processed: Json | null;
  attempts: Json;
  dead: Json | null;
}

export interface JourneyRawDeadLettersParameters {
  event_id: readonly string[];
  limit: number;
}
export interface JourneyRawDeadLettersRow {
  id: string;
  stream: string;
  stream_seq: number;
  subject: string;
  reason: string;
  untrusted: string | null;
  event_id: string | null;
  size: number;
  received_at: string;
  reprocessed_at: string | null;
}

export interface NotificationsAttemptsParameters {
  notification_id: string;
}
export interface NotificationsAttemptsRow {
  number: number;
  worker: string;
  started_at: string;
  duration_ms: number;
  outcome: string;
  error: string | null;
}

export interface NotificationsClaimParameters {
  worker: string;
  token: string;
  limit: number;
  lease_seconds: number;
  from: string;
  look: number;
}
export interface NotificationsClaimRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  type: string;
  aggregate_key: string;
  aggregate_version: number;
  stale: boolean;
  payload: Json;
  traceparent: string;
  channel: string;
  attempt_count: number;
}

export interface NotificationsCleanupParameters {
  retention_seconds: number;
  limit: number;
}
export interface NotificationsCleanupRow {
  notification_id: string;
}

export interface NotificationsCountsParameters {
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
export interface NotificationsCountsRow {
  status: string;
  count: number;
  more: boolean;
}

export interface NotificationsCountsAllParameters {
  most: number;
}
export interface NotificationsCountsAllRow {
  status: string;
  count: number;
  more: boolean;
}

export interface NotificationsDeadParameters {
  before_id: string;
  limit: number;
}
export interface NotificationsDeadRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  stock_keeping_unit: string | null;
  about: string | null;
  reason: string;
  attempts: number;
  failed_at: string;
}

export interface NotificationsDepthParameters {
  due_from: string;
  lease_from: string;
}
export interface NotificationsDepthRow {
  pending: number;
  processing: number;
  dead: number;
  raw_dead: number;
  oldest_pending_seconds: number;
}

export interface NotificationsDiscardParameters {
  id: string;
  actor: string;
  reason: string;
}
export interface NotificationsDiscardRow {
  notification_id: string;
}

export interface NotificationsFindParameters {
  id: string;
}
export interface NotificationsFindRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  stock_keeping_unit: string | null;
  match_id: string | null;
  mode: string | null;
  peer_user_id: string | null;
  about: string | null;
  type: string;
  aggregate_key: string;
  aggregate_version: number;
  stale: boolean;
  channel: string;
  status: string;
  attempt_count: number;
  attempts_made: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  sent_at: string | null;
  next_retry_at: string;
  position: number | null;
  read_at: string | null;
  locked_by: string | null;
  lease_until: string | null;
  traceparent: string;
  trace_id: string;
  payload: Json;
  dead_since: string | null;
  requeued_at: string | null;
  requeued_by: string | null;
  requeue_reason: string | null;
}

export interface NotificationsGroupsParameters {
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
export interface NotificationsGroupsRow {
  fingerprint: string;
  count: number;
  more: boolean;
  first_at: string | null;
  last_at: string | null;
  sample_error: string | null;
  sample_id: string | null;
}

export interface NotificationsGroupsRetryingParameters {
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
export interface NotificationsGroupsRetryingRow {
  fingerprint: string;
  count: number;
  more: boolean;
  first_at: string | null;
  last_at: string | null;
  next_at: string | null;
  sample_error: string | null;
  sample_id: string | null;
}

export interface NotificationsHeadParameters {
  from: string;
  look: number;
}
export interface NotificationsHeadRow {
  bound: string;
  reach: string | null;
}

export interface NotificationsInboxParameters {
  user_id: string;
  before_notification_id: string;
  limit: number;
}
export interface NotificationsInboxRow {
  notification_id: string;
  event_id: string;
  type: string;
  status: string;
  stale: boolean;
  attempt_count: number;
  last_error: string | null;
  created_at: string;
  sent_at: string | null;
  position: number | null;
  read_at: string | null;
  trace_id: string;
  payload: Json;
}

export interface NotificationsLeasesRunOutParameters {
  most: number;
}
export interface NotificationsLeasesRunOutRow {
  count: number;
  more: boolean;
  oldest: string | null;
  sample: readonly string[];
}

export interface NotificationsOldestLeaseParameters {
  from: string;
}
export interface NotificationsOldestLeaseRow {
  bound: string;
  has_ended: boolean | null;
}

export interface NotificationsOldestPendingRow {
  oldest_pending_at: string | null;
}

export interface NotificationsOverdueParameters {
  overdue_seconds: number;
}
export interface NotificationsOverdueRow {
  notification_id: string;
}

export interface NotificationsPageParameters {
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
export interface NotificationsPageRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  stock_keeping_unit: string | null;
  about: string | null;
  type: string;
  aggregate_version: number;
  stale: boolean;
  channel: string;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  sent_at: string | null;
  next_retry_at: string;
  position: number | null;
  read_at: string | null;
  trace_id: string;
  dead: Json | null;
  matches: boolean;
  examined: number;
}

export interface NotificationsPageFailedAtParameters {
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
export interface NotificationsPageFailedAtRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  stock_keeping_unit: string | null;
  about: string | null;
  type: string;
  aggregate_version: number;
  stale: boolean;
  channel: string;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  sent_at: string | null;
  next_retry_at: string;
  position: number | null;
  read_at: string | null;
  trace_id: string;
  dead: Json | null;
  at: string;
  matches: boolean;
  examined: number;
}

export interface NotificationsPageFailedAttemptsParameters {
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
export interface NotificationsPageFailedAttemptsRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  stock_keeping_unit: string | null;
  about: string | null;
  type: string;
  aggregate_version: number;
  stale: boolean;
  channel: string;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  sent_at: string | null;
  next_retry_at: string;
  position: number | null;
  read_at: string | null;
  trace_id: string;
  dead: Json | null;
  at: string;
  matches: boolean;
  examined: number;
}

export interface NotificationsPageHeldParameters {
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
export interface NotificationsPageHeldRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  stock_keeping_unit: string | null;
  about: string | null;
  type: string;
  aggregate_version: number;
  stale: boolean;
  channel: string;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  sent_at: string | null;
  next_retry_at: string;
  position: number | null;
  read_at: string | null;
  trace_id: string;
  dead: Json | null;
  at: string;
  matches: boolean;
  examined: number;
}

export interface NotificationsPageRetryingParameters {
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
export interface NotificationsPageRetryingRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  stock_keeping_unit: string | null;
  about: string | null;
  type: string;
  aggregate_version: number;
  stale: boolean;
  channel: string;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  sent_at: string | null;
  next_retry_at: string;
  position: number | null;
  read_at: string | null;
  trace_id: string;
  dead: Json | null;
  at: string;
  matches: boolean;
  examined: number;
}

export interface NotificationsPageWaitingParameters {
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
export interface NotificationsPageWaitingRow {
  notification_id: string;
  event_id: string;
  user_id: string;
  stock_keeping_unit: string | null;
  about: string | null;
  type: string;
  aggregate_version: number;
  stale: boolean;
  channel: string;
  status: string;
  attempt_count: number;
  last_error: string | null;
  failed_at: string | null;
  created_at: string;
  sent_at: string | null;
  next_retry_at: string;
  position: number | null;
  read_at: string | null;
  trace_id: string;
  dead: Json | null;
  at: string;
  matches: boolean;
  examined: number;
}

export interface NotificationsReclaimParameters {
  limit: number;
  from: string;
}
export interface NotificationsReclaimRow {
  notification_id: string;
  locked_by: string;
}

export interface NotificationsReleaseParameters {
  token: string;
  notification_id: readonly string[];
}
export interface NotificationsReleaseRow {
  notification_id: string;
}

export interface NotificationsReleaseClaimsParameters {
  token: readonly string[];
}
export interface NotificationsReleaseClaimsRow {
  notification_id: string;
  claim_token: string;
}

export interface NotificationsRenewParameters {
  token: string;
  notification_id: readonly string[];
  lease_seconds: number;
}
export interface NotificationsRenewRow {
  notification_id: string;
}

export interface NotificationsRequeueParameters {
  notification_id: readonly string[];
  actor: string;
  reason: string;
}
export interface NotificationsRequeueRow {
  notification_id: string;
}

export interface NotificationsRetryNowParameters {
  id: string;
  actor: string;
  reason: string;
}
export interface NotificationsRetryNowRow {
  notification_id: string;
  status: string;
  attempt_count: number;
  next_retry_at: string;
}

export interface NotificationsSettleParameters {
  token: string;
  worker: string;
  notification_id: readonly string[];
  outcome: readonly string[];
  error: readonly (string | null)[];
  delay_seconds: readonly (number | null)[];
  duration_ms: readonly number[];
  max_attempts: number;
}
export interface NotificationsSettleRow {
  notification_id: string;
  user_id: string;
  status: string;
  attempt_count: number;
  position: number | null;
}

export interface ProcessedMessagesCleanupParameters {
  keep_seconds: number;
  limit: number;
}
export interface ProcessedMessagesCleanupRow {
  idempotency_key: string;
}

export interface ProcessedMessagesFindParameters {
  idempotency_key: string;
}
export interface ProcessedMessagesFindRow {
  completed: boolean;
}

export interface ProcessedMessagesMarkCompletedParameters {
  idempotency_key: string;
}
export interface ProcessedMessagesMarkCompletedRow {
  idempotency_key: string;
}

export interface ProcessedMessagesMarkFailedParameters {
  idempotency_key: string;
  error: string;
}
export interface ProcessedMessagesMarkFailedRow {
  idempotency_key: string;
}

export interface ProcessedMessagesMarkProcessingParameters {
  idempotency_key: string;
  message_id: string;
  message_type: string;
  ttl_seconds: number;
}
export interface ProcessedMessagesMarkProcessingRow {
  idempotency_key: string;
}

export interface RawDeadLettersAppendParameters {
  stream: readonly string[];
  stream_seq: readonly number[];
  subject: readonly string[];
  headers: readonly Json[];
  data: readonly string[];
  event_id: readonly (string | null)[];
  reason: readonly string[];
  untrusted: readonly (string | null)[];
}
export interface RawDeadLettersAppendRow {
  id: string;
}

export interface RawDeadLettersCountParameters {
  most: number;
}
export interface RawDeadLettersCountRow {
  count: number;
  more: boolean;
}

export interface RawDeadLettersDiscardParameters {
  id: string;
  actor: string;
  reason: string;
}
export interface RawDeadLettersDiscardRow {
  id: string;
}

export interface RawDeadLettersFindParameters {
  id: string;
}
export interface RawDeadLettersFindRow {
  id: string;
  stream: string;
  stream_seq: number;
  subject: string;
  headers: Json;
  data: Uint8Array;
  reason: string;
  untrusted: string | null;
  event_id: string | null;
  received_at: string;
  reprocessed_at: string | null;
}

export interface RawDeadLettersListParameters {
  before_id: string;
  limit: number;
}
export interface RawDeadLettersListRow {
  id: string;
  stream: string;
  stream_seq: number;
  subject: string;
  reason: string;
  untrusted: string | null;
  event_id: string | null;
  size: number;
  received_at: string;
}

export interface RawDeadLettersListAllParameters {
  before_id: string;
  limit: number;
}
export interface RawDeadLettersListAllRow {
  id: string;
  stream: string;
  stream_seq: number;
  subject: string;
  reason: string;
  untrusted: string | null;
  event_id: string | null;
  size: number;
  received_at: string;
  reprocessed_at: string | null;
}

export interface RawDeadLettersReprocessedParameters {
  id: string;
  actor: string;
  reason: string;
}
export interface RawDeadLettersReprocessedRow {
  id: string;
}

export interface RawDeadLettersUnreadableParameters {
  event_id: readonly string[];
}
export interface RawDeadLettersUnreadableRow {
  event_id: string;
}

export interface RemembersParameters {
  retention_seconds: number;
}
export interface RemembersRow {
  remembers_seconds: number;
}

export interface NotificationSql {
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
  accept(parameters: AcceptParameters): Promise<AcceptRow[]>;
  accept_matches(parameters: AcceptMatchesParameters): Promise<AcceptMatchesRow[]>;
  announced(parameters: AnnouncedParameters): Promise<AnnouncedRow[]>;
  bulk: {
    discard(parameters: BulkDiscardParameters): Promise<BulkDiscardRow[]>;
    items(parameters: BulkItemsParameters): Promise<BulkItemsRow[]>;
    outcomes(parameters: BulkOutcomesParameters): Promise<BulkOutcomesRow[]>;
    preview(parameters: BulkPreviewParameters): Promise<BulkPreviewRow[]>;
    requeue(parameters: BulkRequeueParameters): Promise<BulkRequeueRow[]>;
    retry(parameters: BulkRetryParameters): Promise<BulkRetryRow[]>;
    start(parameters: BulkStartParameters): Promise<BulkStartRow[]>;
  };
  cleanup_announced_joins(parameters: CleanupAnnouncedJoinsParameters): Promise<CleanupAnnouncedJoinsRow[]>;
  cleanup_discarded_events(parameters: CleanupDiscardedEventsParameters): Promise<CleanupDiscardedEventsRow[]>;
  cleanup_processed_events(parameters: CleanupProcessedEventsParameters): Promise<CleanupProcessedEventsRow[]>;
  consistency: {
    announced_without_notice(parameters: ConsistencyAnnouncedWithoutNoticeParameters): Promise<ConsistencyAnnouncedWithoutNoticeRow[]>;
    dead_but_alive(parameters: ConsistencyDeadButAliveParameters): Promise<ConsistencyDeadButAliveRow[]>;
    failed_without_dead_letter(parameters: ConsistencyFailedWithoutDeadLetterParameters): Promise<ConsistencyFailedWithoutDeadLetterRow[]>;
    feed_gaps(parameters: ConsistencyFeedGapsParameters): Promise<ConsistencyFeedGapsRow[]>;
    half_announced_matches(parameters: ConsistencyHalfAnnouncedMatchesParameters): Promise<ConsistencyHalfAnnouncedMatchesRow[]>;
    untold(parameters: ConsistencyUntoldParameters): Promise<ConsistencyUntoldRow[]>;
  };
  consumed(parameters: ConsumedParameters): Promise<ConsumedRow[]>;
  feed: {
    after(parameters: FeedAfterParameters): Promise<FeedAfterRow[]>;
    newest(parameters: FeedNewestParameters): Promise<FeedNewestRow[]>;
    page(parameters: FeedPageParameters): Promise<FeedPageRow[]>;
    read(parameters: FeedReadParameters): Promise<FeedReadRow[]>;
    read_up_to(parameters: FeedReadUpToParameters): Promise<FeedReadUpToRow[]>;
    state(parameters: FeedStateParameters): Promise<FeedStateRow[]>;
    unread(parameters: FeedUnreadParameters): Promise<FeedUnreadRow[]>;
  };
  journey: {
    by_trace(parameters: JourneyByTraceParameters): Promise<JourneyByTraceRow[]>;
    notifications(parameters: JourneyNotificationsParameters): Promise<JourneyNotificationsRow[]>;
    raw_dead_letters(parameters: JourneyRawDeadLettersParameters): Promise<JourneyRawDeadLettersRow[]>;
  };
  notifications: {
    attempts(parameters: NotificationsAttemptsParameters): Promise<NotificationsAttemptsRow[]>;
    claim(parameters: NotificationsClaimParameters): Promise<NotificationsClaimRow[]>;
    cleanup(parameters: NotificationsCleanupParameters): Promise<NotificationsCleanupRow[]>;
    counts(parameters: NotificationsCountsParameters): Promise<NotificationsCountsRow[]>;
    counts_all(parameters: NotificationsCountsAllParameters): Promise<NotificationsCountsAllRow[]>;
    dead(parameters: NotificationsDeadParameters): Promise<NotificationsDeadRow[]>;
    depth(parameters: NotificationsDepthParameters): Promise<NotificationsDepthRow[]>;
    discard(parameters: NotificationsDiscardParameters): Promise<NotificationsDiscardRow[]>;
    find(parameters: NotificationsFindParameters): Promise<NotificationsFindRow[]>;
    groups(parameters: NotificationsGroupsParameters): Promise<NotificationsGroupsRow[]>;
    groups_retrying(parameters: NotificationsGroupsRetryingParameters): Promise<NotificationsGroupsRetryingRow[]>;
    head(parameters: NotificationsHeadParameters): Promise<NotificationsHeadRow[]>;
    inbox(parameters: NotificationsInboxParameters): Promise<NotificationsInboxRow[]>;
    leases_run_out(parameters: NotificationsLeasesRunOutParameters): Promise<NotificationsLeasesRunOutRow[]>;
    oldest_lease(parameters: NotificationsOldestLeaseParameters): Promise<NotificationsOldestLeaseRow[]>;
    oldest_pending(): Promise<NotificationsOldestPendingRow[]>;
    overdue(parameters: NotificationsOverdueParameters): Promise<NotificationsOverdueRow[]>;
    page(parameters: NotificationsPageParameters): Promise<NotificationsPageRow[]>;
    page_failed_at(parameters: NotificationsPageFailedAtParameters): Promise<NotificationsPageFailedAtRow[]>;
    page_failed_attempts(parameters: NotificationsPageFailedAttemptsParameters): Promise<NotificationsPageFailedAttemptsRow[]>;
    page_held(parameters: NotificationsPageHeldParameters): Promise<NotificationsPageHeldRow[]>;
    page_retrying(parameters: NotificationsPageRetryingParameters): Promise<NotificationsPageRetryingRow[]>;
    page_waiting(parameters: NotificationsPageWaitingParameters): Promise<NotificationsPageWaitingRow[]>;
    reclaim(parameters: NotificationsReclaimParameters): Promise<NotificationsReclaimRow[]>;
    release(parameters: NotificationsReleaseParameters): Promise<NotificationsReleaseRow[]>;
    release_claims(parameters: NotificationsReleaseClaimsParameters): Promise<NotificationsReleaseClaimsRow[]>;
    renew(parameters: NotificationsRenewParameters): Promise<NotificationsRenewRow[]>;
    requeue(parameters: NotificationsRequeueParameters): Promise<NotificationsRequeueRow[]>;
    retry_now(parameters: NotificationsRetryNowParameters): Promise<NotificationsRetryNowRow[]>;
    settle(parameters: NotificationsSettleParameters): Promise<NotificationsSettleRow[]>;
  };
  processed_messages: {
    cleanup(parameters: ProcessedMessagesCleanupParameters): Promise<ProcessedMessagesCleanupRow[]>;
    find(parameters: ProcessedMessagesFindParameters): Promise<ProcessedMessagesFindRow[]>;
    mark_completed(parameters: ProcessedMessagesMarkCompletedParameters): Promise<ProcessedMessagesMarkCompletedRow[]>;
    mark_failed(parameters: ProcessedMessagesMarkFailedParameters): Promise<ProcessedMessagesMarkFailedRow[]>;
    mark_processing(parameters: ProcessedMessagesMarkProcessingParameters): Promise<ProcessedMessagesMarkProcessingRow[]>;
  };
  raw_dead_letters: {
    append(parameters: RawDeadLettersAppendParameters): Promise<RawDeadLettersAppendRow[]>;
    count(parameters: RawDeadLettersCountParameters): Promise<RawDeadLettersCountRow[]>;
    discard(parameters: RawDeadLettersDiscardParameters): Promise<RawDeadLettersDiscardRow[]>;
    find(parameters: RawDeadLettersFindParameters): Promise<RawDeadLettersFindRow[]>;
    list(parameters: RawDeadLettersListParameters): Promise<RawDeadLettersListRow[]>;
    list_all(parameters: RawDeadLettersListAllParameters): Promise<RawDeadLettersListAllRow[]>;
    reprocessed(parameters: RawDeadLettersReprocessedParameters): Promise<RawDeadLettersReprocessedRow[]>;
    unreadable(parameters: RawDeadLettersUnreadableParameters): Promise<RawDeadLettersUnreadableRow[]>;
  };
  remembers(parameters: RemembersParameters): Promise<RemembersRow[]>;
}

