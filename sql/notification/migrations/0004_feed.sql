-- A user's feed: what was delivered, numbered 1, 2, 3 … in the order in which it became visible.
-- The newest number of each user; also the lock that orders two senders on one user. Numbers go on after old notifications are deleted.
create table inbox_positions (user_id text primary key, position bigint not null check (position > 0)) with (fillfactor = 80);

alter table notifications
  add column position bigint,                                             -- given when it becomes SENT, never changed
  add column read_at timestamptz;                                         -- the user has seen it
update notifications n set position = placed.position from (
  select notification_id, row_number() over (partition by user_id order by sent_at, aggregate_version, notification_id) as position
  from notifications where status = 'SENT') placed
where n.notification_id = placed.notification_id;
insert into inbox_positions select user_id, max(position) from notifications where position is not null group by user_id;

alter table notifications
  add constraint notifications_position_check check ((status = 'SENT') = (position is not null)),
  add constraint notifications_read_check check (read_at is null or position is not null);
create unique index notifications_feed on notifications (user_id, position) where position is not null;
create index notifications_unread on notifications (user_id, position) where position is not null and read_at is null;

grant select, insert, update on inbox_positions to :"app";
