-- Somebody lets go of a lock while a rival whose round may fail has its vote here: then nobody would tell the next in line. This mark
-- stands in the queue, and whoever undoes such a round tells the next. Left over, it costs a waiter one round in vain.
-- The slots of a semaphore share a queue, so there it names the slot.
-- In: KEYS lock. Out: MISSED_TURN.
local MISSED_TURN = 'missed' .. (string.match(KEYS[1], '\31(%d+)$') or '')
