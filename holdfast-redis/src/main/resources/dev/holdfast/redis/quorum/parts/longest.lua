-- The longest lease that this node may grant, by its 'record'; false if its memory is not known to be whole.
local longest = record and string.sub(record, 1, #ARGV[1]) == ARGV[1] and tonumber(string.sub(record, #ARGV[1] + 1))
if not longest then
  local size = string.match(record or '', '^%a+ (%d+)')
  -- Majorities of different lists of nodes need not share a node.
  if size and size ~= string.match(ARGV[1], '^%a+ (%d+)') then
    error('HOLDFAST-SIZE ' .. size, 0)
  end
end
