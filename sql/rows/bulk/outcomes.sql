-- What became of the :many that operations requeued or retried, by their present states. GONE ones were discarded or cleaned up since.
-- $1 operation_id
-- $2 scan: how many items of each operation to examine
-- returns operation_id, outcome, count
select o.operation_id, outcome, count(*)::int as count
from unnest($1::uuid[], $2::int[]) as o(operation_id, scan), lateral (    -- limit: index ranges and index lookups under every plan
  select :outcome as outcome
  from (select subject from operation_items i where i.operation_id = o.operation_id and result = 'DONE' order by position limit o.scan) item
    left join lateral (select status, :attempts, :due from :table t where t.:id = item.subject limit 1) t on true) became
group by o.operation_id, outcome
