export function withoutLinkedData<Answer>(answer: Answer): Answer {
  if (Array.isArray(answer)) return answer.map(withoutLinkedData) as Answer
  if (answer === null || typeof answer !== 'object') return answer
  const kept = Object.entries(answer).filter(([name]) => name !== 'json_ld')
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutLinkedData(member)])) as Answer
}
