-- Fails if the counter of the bucket is not a number. In: counter, fence.
if counter and not string.find(counter, '^%d+$') then
  error('HOLDFAST-FOREIGN ' .. fence, 0)
end
