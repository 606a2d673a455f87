-- From here on this node may vote, by its 'record'.
-- include quorum/parts/longest
if not longest then
  -- include parts/now
  return {UNADMITTED, now, record or ''}
end
