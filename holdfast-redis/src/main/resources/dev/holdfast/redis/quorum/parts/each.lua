-- The answers of 'one' for 1 to 'count'. What goes wrong with one of them is no matter of the others.
local answers = {}
for i = 1, count do
  local well, answer = pcall(one, i)
  answers[i] = well and answer or {FAILED, answer}
end
return answers
