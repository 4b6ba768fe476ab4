-- What became of the notifications that operations requeued or retried, by their present states. GONE ones were discarded or cleaned up since.
-- $1 operation_id
-- $2 scan: how many items of each operation to examine
-- returns operation_id, outcome, count
select o.operation_id, outcome, count(*)::int as count
from unnest($1::uuid[], $2::int[]) as o(operation_id, scan), lateral (    -- limit: index ranges and index lookups under every plan
  select case status when 'SENT' then 'DELIVERED' when 'FAILED' then 'FAILED_AGAIN'
      when 'PENDING' then case when attempt_count > 0 and next_retry_at > now() then 'RETRYING' else 'ON_THE_WAY' end
      when 'PROCESSING' then 'ON_THE_WAY' else 'GONE' end as outcome
  from (select subject from operation_items i where i.operation_id = o.operation_id and result = 'DONE' order by position limit o.scan) item
    left join lateral (select status, attempt_count, next_retry_at from notifications t where t.notification_id = item.subject limit 1) t on true) became
group by o.operation_id, outcome
