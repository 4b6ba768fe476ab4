-- Reads a ticket. If it has expired, it gets that state now.
-- ARGV[1] ticket_id, [2] keep
-- returns its view
return view(ARGV[1], tonumber(ARGV[2]))
