-- Cancels a ticket of a user. A ticket that has ended stays as it is.
-- ARGV[1] ticket_id, [2] user_id, [3] keep
-- returns `cancelled`, `ended` or `forbidden` (another user's), its view; or nothing if there is no such ticket
local id, user, keep = ARGV[1], ARGV[2], tonumber(ARGV[3])
local ticket = fields_of('ticket:' .. id, 'user_id', 'status', 'expires_at')
-- Of a ticket without a user only its place in the queue was left.
if not ticket[1] or not ticket[2] then return false end
if ticket[1] ~= user then return { 'forbidden', { now, 0, 0 } } end
if ticket[2] ~= 'QUEUED' or (tonumber(ticket[3] or '') or 0) <= now then return { 'ended', view(id, keep) } end
end_ticket(id, 'CANCELLED', keep, {})
count('cancelled', 1)
return { 'cancelled', view(id, keep) }
