import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../src/web/control/control-api.ts'
import { errorSchema } from '../../../src/web/control/schemas.ts'
import { controlled, KEY } from '../../support/web/control-harness.ts'

/** IDs that exist, so that requests pass the first check. */
const PARTS = ['r', 'planned', 'anna', 'bob', 'call-1', 'announcement-1', '123456']
const LANGUAGES = ['en-us', 'ES_es', 'xx-xx', 'de', '']
const FIELDS = [
  'name',
  'languages',
  'maxParticipants',
  'maxMinutes',
  'emptyMinutes',
  'codeMinutes',
  'speaks',
  'hears',
  'original',
  'muted',
  'interpreting',
  'announce',
  'to',
  'from',
  'ringSeconds',
  'limitSeconds',
  'echo',
  'minutes',
  'text',
  'language',
  'file',
  'paused',
  'limit',
  'after',
  'goodbye',
  'token',
  'final',
  'format',
  'lines',
  'room',
  '__proto__',
  'constructor',
  'toString',
  'a'.repeat(5_000),
]
const VALUES = [
  true,
  false,
  null,
  0,
  -1,
  1,
  1.5,
  60,
  1e308,
  'r',
  'jingle',
  'broken',
  'unspeakable',
  'duck',
  'off',
  'true',
  'srt',
  '+15551230001',
  '+19005550000',
  '',
  ' ',
  '\u0000',
  '\ud800',
  '𝒳'.repeat(200),
  'x'.repeat(3_000),
  [],
  {},
  ['anna'],
  ['bob', 'nobody'],
  [[[[]]]],
  { a: { b: {} } },
]

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...LANGUAGES, '../../..', '%00', '%', '?', '#', '/'),
)
const value = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.constantFrom(...LANGUAGES),
  fc.jsonValue({ maxDepth: 3 }),
)
/** Valid requests, of which one field is then changed, removed or added. */
const GOOD: Readonly<Record<string, object>> = {
  createRoom: { languages: ['en-us', 'es-es'], maxParticipants: 4, codeMinutes: 5 },
  changeParticipant: { muted: true, hears: 'es-es', original: 'low', name: 'Anna' },
  dial: { to: '+15551230001', speaks: 'es-es', hears: 'es-es', ringSeconds: 20 },
  say: { text: 'hello', language: 'en-us', to: ['anna'] },
  play: { file: 'jingle', to: ['bob'] },
  createCode: { minutes: 5 },
  linkCaptions: { minutes: 5 },
  pauseRecording: { paused: true },
}
const changes = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 2 })
const bodyOf = (id: string) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(changes, fc.array(fc.constantFrom(...FIELDS), { maxLength: 2 }))
        .map(([changed, gone]) => {
          const good = Object.entries({ ...GOOD[id], ...changed }).filter(([name]) => !gone.includes(name))
          return JSON.stringify(Object.fromEntries(good))
        }),
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constant('') },
  )
const part = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PARTS) },
  { weight: 1, arbitrary: text.map(encoded) },
)
const query = fc.dictionary(
  fc.constantFrom(...FIELDS),
  fc.oneof(fc.constantFrom('1', '5', 'true', 'srt', 'es-es', ''), text),
  { maxKeys: 1 },
)
// Its response stays open; it has separate tests.
const ASKED = OPERATIONS.filter(({ id }) => id !== 'readCaptions')
const request = fc.constantFrom(...ASKED).chain(operation =>
  fc.record({
    operation: fc.constant(operation),
    parts: fc.array(part, { minLength: 2, maxLength: 2 }),
    query: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: query }),
    body: bodyOf(operation.id),
    idempotencyKey: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('a', 'b', '!') },
    ),
  }),
)

/** Encodes like a careless client: sometimes not at all. */
function encoded(raw: string): string {
  try {
    return encodeURIComponent(raw) || '%20'
  } catch {
    return '%ED%A0%80'
  }
}

test('answers any request as documented, never with an internal error', async () => {
  const it = await controlled({ requestsPerMinute: 1_000_000 })
  const { join, run, services, log, server, ask, relay } = it
  const people = () => {
    for (const id of ['anna', 'bob'])
      if (!relay.find(id)) join(id, { speaks: id === 'anna' ? 'en-us' : 'es-es', hears: 'es-es' })
  }
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, parts, query, body, idempotencyKey }) => {
      people()
      if (!services.plans.find('planned'))
        await services.plans.add({ room: 'planned', emptyMinutes: 60, createdAt: '' })
      const left = [...parts]
      const path = operation.path.replace(/\{\w+\}/g, () => left.shift() ?? 'x')
      const search = new URLSearchParams(query as Record<string, string>).toString()
      const method = operation.method as 'GET'
      const response = await server.inject({
        method,
        url: `/v1${path}${search === '' ? '' : `?${search}`}`,
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(method === 'GET' ? {} : { payload: body }),
      })
      statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1)
      expect(response.statusCode, `${method} ${path} ${body}`).not.toBe(500)
      if (response.statusCode >= 400)
        expect(errorSchema.safeParse(response.json()).error?.issues, response.body).toBeUndefined()
      else if (
        operation.answer &&
        response.headers['content-type']?.toString().startsWith('application/json')
      )
        expect(operation.answer.safeParse(response.json()).error?.issues, operation.id).toBeUndefined()
      await run(20)
    }),
    { seed: 41, numRuns: 1_500, endOnFailure: true },
  )
  // Some requests succeeded.
  for (const status of [200, 201, 202, 400, 404, 422])
    expect(statuses.get(status), `${status}`).toBeGreaterThan(2)
  expect(log.complaints).toEqual([])
  expect(Object.keys(Object.prototype)).toEqual([])
  people()
  expect((await ask('GET', '/rooms/r')).status).toBe(200)
})
