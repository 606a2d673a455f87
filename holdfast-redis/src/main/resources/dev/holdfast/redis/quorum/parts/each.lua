-- The answers of 'one' for 1 to 'count'. What goes wrong with one of them is no matter of the others.
local answers = {}
for i = 1, count do
  local well, answer = pcall(one, i)
  if not well then
    answer = {FAILED, type(answer) == 'table' and answer.err or answer}
  end
  answers[i] = answer
end
return answers
