-- A user's changes of all items, newest first, however many there are. It takes about 7 % of the change statement (batches of 64, with and
-- without it in turn, on a busy machine); without it a page would read and sort all that ever happened to the user.
create index entitlement_audit_user on entitlement_audit (user_id, event_id);
