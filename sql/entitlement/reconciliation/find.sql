-- The last walk of the reconciler, and whether a requested one has not begun.
-- returns asked_at?, started_at?, finished_at?, worker?, outcome?, note?, looked_at?, confirmed?, resent?, due
select iso(asked_at) as asked_at, iso(started_at) as started_at, iso(finished_at) as finished_at, worker, outcome, note, looked_at, confirmed, resent,
  coalesce(asked_at > coalesce(started_at, '-infinity'), false) as due
from reconciliation where id = 1
