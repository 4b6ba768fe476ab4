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

export interface AuditListParameters {
  user_id: string;
  before_audit_id: string;
  limit: number;
}
export interface AuditListRow {
  audit_id: string;
  at: string;
  actor: string;
  action: string;
  user_id: string;
  reason: string | null;
  detail: Json;
}

export interface ErasuresFindParameters {
  id: string;
}
export interface ErasuresFindRow {
  pseudonym: string;
  requested_by: string;
  reason: string;
  state: string;
  systems: Json;
  changed: Json;
  requested_at: string;
  updated_at: string;
  done_at: string | null;
}

export interface ErasuresPendingRow {
  pseudonym: string;
  user_id: string;
  emails: Json;
  requested_by: string;
  reason: string;
  age_seconds: number;
}

export interface ErasuresReportParameters {
  pseudonym: string;
  systems: Json;
}
export interface ErasuresReportRow {
  pseudonym: string;
}

export interface ErasuresRequestParameters {
  user_id: string;
  actor: string;
  reason: string;
  by_owner: boolean;
}
export interface ErasuresRequestRow {
  pseudonym: string;
  requested: boolean;
}

export interface IdentitiesResolveParameters {
  provider: string;
  subject: string;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  display_name: string | null;
  roles: readonly string[];
  actor: string;
}
export interface IdentitiesResolveRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
}

export interface UsersByEmailParameters {
  email: string;
  before_user_id: string;
  limit: number;
}
export interface UsersByEmailRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersByRoleParameters {
  role: string;
  before_user_id: string;
  limit: number;
}
export interface UsersByRoleRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersChangeStatusParameters {
  user_id: string;
  target: string;
  actor: string;
  reason: string;
}
export interface UsersChangeStatusRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersFindParameters {
  user_id: string;
}
export interface UsersFindRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersListParameters {
  before_user_id: string;
  limit: number;
}
export interface UsersListRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersSearchParameters {
  beginning: string;
  after_user_id: string | null;
  after_matched: string | null;
  limit: number;
}
export interface UsersSearchRow {
  matched: string;
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersSetRolesParameters {
  user_id: string;
  roles: readonly string[];
  actor: string;
  reason: string;
}
export interface UsersSetRolesRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersSignOutParameters {
  user_id: string;
  actor: string;
  reason: string;
}
export interface UsersSignOutRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersStandingParameters {
  user_id: string;
  actor: string;
}
export interface UsersStandingRow {
  known: boolean;
  may_act: boolean;
  is_admin: boolean;
  is_erased: boolean;
}

export interface UsersSuspendedParameters {
  before_user_id: string;
  limit: number;
}
export interface UsersSuspendedRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface UsersUpdateParameters {
  user_id: string;
  display_name: string | null;
  locale: string | null;
  actor: string;
}
export interface UsersUpdateRow {
  user_id: string;
  account_status: string;
  roles: readonly string[];
  display_name: string | null;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  locale: string | null;
  created_at: string;
  updated_at: string;
}

export interface AccountSql {
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
    find(parameters: ErasuresFindParameters): Promise<ErasuresFindRow[]>;
    pending(): Promise<ErasuresPendingRow[]>;
    report(parameters: ErasuresReportParameters): Promise<ErasuresReportRow[]>;
    request(parameters: ErasuresRequestParameters): Promise<ErasuresRequestRow[]>;
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
    list(parameters: AuditListParameters): Promise<AuditListRow[]>;
  };
  identities: {
    resolve(parameters: IdentitiesResolveParameters): Promise<IdentitiesResolveRow[]>;
  };
  users: {
    by_email(parameters: UsersByEmailParameters): Promise<UsersByEmailRow[]>;
    by_role(parameters: UsersByRoleParameters): Promise<UsersByRoleRow[]>;
    change_status(parameters: UsersChangeStatusParameters): Promise<UsersChangeStatusRow[]>;
    find(parameters: UsersFindParameters): Promise<UsersFindRow[]>;
    list(parameters: UsersListParameters): Promise<UsersListRow[]>;
    search(parameters: UsersSearchParameters): Promise<UsersSearchRow[]>;
    set_roles(parameters: UsersSetRolesParameters): Promise<UsersSetRolesRow[]>;
    sign_out(parameters: UsersSignOutParameters): Promise<UsersSignOutRow[]>;
    standing(parameters: UsersStandingParameters): Promise<UsersStandingRow[]>;
    suspended(parameters: UsersSuspendedParameters): Promise<UsersSuspendedRow[]>;
    update(parameters: UsersUpdateParameters): Promise<UsersUpdateRow[]>;
  };
}

