-- Dead letters that were not requeued, newest first.
-- $1 before_id
-- $2 limit
-- returns notification_id, event_id, user_id, stock_keeping_unit?, about?, reason, attempts, failed_at
select notification_id, event_id, user_id, payload ->> 'stock_keeping_unit' as stock_keeping_unit, notice_about(payload) as about, reason, attempts, iso(failed_at) as failed_at from notification_dlq
where requeued_at is null and notification_id < $1::uuid
order by notification_id desc limit $2::int
