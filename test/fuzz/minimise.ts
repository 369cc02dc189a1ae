import { type Body, isVerbatim, type Member, type PlannedRequest } from './planned-request.ts'

export async function minimise(
  planned: PlannedRequest,
  fails: (smaller: PlannedRequest) => Promise<boolean>,
  until: number,
): Promise<PlannedRequest> {
  let smallest = planned
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const candidate of smallerOnes(smallest)) {
      if (Date.now() > until) return smallest
      if (!(await fails(candidate))) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}

function* smallerOnes(planned: PlannedRequest): Generator<PlannedRequest> {
  for (const name of Object.keys(planned.headers))
    yield { ...planned, headers: without(planned.headers, name) }
  for (let i = 0; i < planned.query.length; i++) yield { ...planned, query: planned.query.toSpliced(i, 1) }
  for (const body of smallerBodies(planned.body)) yield { ...planned, body }
  for (const [i, part] of planned.query.entries())
    if (part.length > 200) yield { ...planned, query: planned.query.with(i, halfOf(part)) }
  if (planned.as !== 'anonymous') yield { ...planned, as: 'anonymous' }
}

function without(headers: PlannedRequest['headers'], name: string): PlannedRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name))
}

function* smallerBodies(body: Body): Generator<Body> {
  if (body.kind === 'none') return
  yield { kind: 'none' }
  if (body.kind === 'bytes') {
    if (body.bytes.length > 16) yield { ...body, bytes: body.bytes.subarray(0, body.bytes.length / 2) }
    return
  }
  const { members } = body
  for (let i = 0; i < members.length; i++) yield { ...body, members: members.toSpliced(i, 1) }
  for (const [i, member] of members.entries())
    for (const smaller of smallerMembers(member)) yield { ...body, members: members.with(i, smaller) }
}

function* smallerMembers([name, value]: Member): Generator<Member> {
  if (typeof value === 'string' && value.length > 1) {
    yield [name, halfOf(value)]
    yield [name, middleOf(value)]
  }
  if (Array.isArray(value) && value.length > 1) yield [name, value.slice(0, value.length / 2)]
  if (isVerbatim(value) && value.verbatim.length > 3) yield [name, { verbatim: middleOf(value.verbatim) }]
}

/** Returns half of a text. It keeps both ends, so that a text of two runs stays one. */
function halfOf(text: string): string {
  const quarter = Math.ceil(text.length / 4)
  return text.length > 8 ? text.slice(0, quarter) + text.slice(-quarter) : text.slice(0, text.length / 2)
}

function middleOf(text: string): string {
  const cut = Math.max(1, Math.floor(text.length / 4))
  return text.slice(cut, -cut)
}
