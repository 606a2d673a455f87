-- From here on this node may vote; otherwise the script answers that it does not.
-- In: ARGV admitted; record. Out: longest.
-- include quorum/parts/longest
if not longest then
  -- include parts/now
  return {UNADMITTED, now, record or ''}
end
