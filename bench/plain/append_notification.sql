-- Stores a notification that is to be sent. $1 notification id, $2 event id, $3 user, $4 type, $5 payload.
insert into notifications (notification_id, event_id, user_id, type, payload) values ($1, $2, $3, $4, $5)
