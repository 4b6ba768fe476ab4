-- Since when the oldest PENDING one has been there; of those that are due first, if there are more than 1,000.
-- returns oldest_pending_at?
select iso(min(created_at)) as oldest_pending_at
from (select created_at from notifications where status = 'PENDING' order by next_retry_at limit 1000) p
