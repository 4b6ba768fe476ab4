-- The last minutes up to the present one, oldest first. A minute without events has one row without a step.
-- A day of three steps takes 35 ms, however many days there are.
-- $1 minutes
-- returns minute, step?, count?, buckets?
select iso(m.minute) as minute, f.step, f.count, f.buckets::text as buckets   -- as text: the driver parses arrays slowly
from generate_series(date_trunc('minute', now()) - make_interval(mins => $1::int - 1), date_trunc('minute', now()), interval '1 minute') as m(minute)
left join lateral (select step, count, buckets from flow_minutes where minute = m.minute) f on true
order by m.minute
