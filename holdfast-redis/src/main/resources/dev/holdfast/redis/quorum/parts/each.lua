-- Answers with those of all requests of a batch. What goes wrong with one must not affect the others.
-- In: one(), count.
local answers = {}
for i = 1, count do
  local succeeded, answer = pcall(one, i)
  answers[i] = succeeded and answer or {FAILED, answer}
end
return answers
