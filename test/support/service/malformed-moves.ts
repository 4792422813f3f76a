import fc from 'fast-check'
import type { RawClient } from './raw-client.ts'
import { RECEIVE, SEND } from './test-client.ts'

/**
 * Expected result of a protocol violation in a session.
 * `refused`: acknowledged with false, and an `error`. `answered`: acknowledged, with an `error` if it is false.
 * `told`: the `error` packet_malformed, and the end of the connection. `closed`: its end.
 * `any`: any of these, or no reply to an event without an acknowledgment.
 */
export type Fate = 'refused' | 'answered' | 'told' | 'closed' | 'any'

/** A protocol violation and its expected result. `play` returns the number of the event it sent, if any. */
export interface Move {
  readonly name: string
  readonly fate: Fate
  play(client: RawClient, takes: string): number | undefined
}

const RESERVED = ['connect', 'connect_error', 'disconnect', 'disconnecting', 'newListener', 'removeListener']

const text = fc.string({ unit: 'binary', maxLength: 40 })
const json = fc.json({ maxDepth: 3 })
const bytes = fc.uint8Array({ maxLength: 50 })

function move(name: string, fate: Fate, play: Move['play']): Move {
  return { name, fate, play }
}

const event = (takes: string, ...payloads: string[]) => `[${[JSON.stringify(takes), ...payloads].join()}]`
const PLACE = '{"_placeholder":true,"num":0}'

/** Events that do not end the session. */
export const wrongEvent: fc.Arbitrary<Move> = fc.oneof(
  json
    .filter(each => !/^\s*"/.test(each))
    .map(each => move(`payload ${each}`, 'refused', (client, takes) => client.event(event(takes, each)))),
  text.map(each =>
    move(`text ${JSON.stringify(each)}`, 'answered', (client, takes) =>
      client.event(event(takes, JSON.stringify(each))),
    ),
  ),
  fc
    .constantFrom(2_001, 20_000, 600_000)
    .map(size =>
      move(`text of ${size}`, 'refused', (client, takes) =>
        client.event(event(takes, JSON.stringify('a'.repeat(size)))),
      ),
    ),
  fc
    .constantFrom(1, 641, 524_290)
    .map(size =>
      move(`${size} bytes`, 'refused', (client, takes) =>
        client.event(event(takes, PLACE), [new Uint8Array(size)]),
      ),
    ),
  fc.constant(move('no payload', 'refused', (client, takes) => client.event(event(takes)))),
  fc
    .array(json, { minLength: 2, maxLength: 5 })
    .map(list => move('several payloads', 'refused', (client, takes) => client.event(event(takes, ...list)))),
  fc.constant(
    move('two fragments at once', 'refused', (client, takes) =>
      client.event(event(takes, PLACE, '{"_placeholder":true,"num":1}'), [
        new Uint8Array(4),
        new Uint8Array(4),
      ]),
    ),
  ),
  fc
    .oneof(
      text.filter(each => !RESERVED.includes(each)),
      fc.constantFrom('error', '__proto__', 'constructor', 'toString', 'result', 'start', '', 'TEXT'),
      fc.integer(),
    )
    .map(name =>
      move(`event ${JSON.stringify(name)}`, 'refused', client =>
        client.event(event('x').replace('"x"', () => JSON.stringify(name))),
      ),
    ),
  fc.constant(move('event without a name', 'refused', client => client.event(''))),
  fc
    .tuple(fc.nat(2 ** 31), json)
    .map(([id, each]) =>
      move('acknowledgment of nothing', 'any', client => void client.packet(3, `${id}[${each}]`)),
    ),
)

/** Violations that end every session. */
export const lastMove: fc.Arbitrary<Move> = fc.oneof(
  bytes.map(each => move('binary out of the blue', 'told', client => void client.say(each))),
  fc.constantFrom(1, 2, 10).map(count =>
    move(`${count} attachments missing`, 'told', (client, takes) => {
      client.event(event(takes, PLACE), [], count)
      client.event(event(takes, '"x"'))
      return undefined
    }),
  ),
  fc.constantFrom('0-', '11-', '1000000-', '-1-', '1.5-', 'x-', '').map(count =>
    move(`attachments "${count}"`, 'told', (client, takes) => {
      client.packet(5, event(takes, PLACE), count === '' ? undefined : count)
      return undefined
    }),
  ),
  fc.constantFrom('1', '-1', '"0"', '1e9', 'null').map(num =>
    move(`attachment number ${num}`, 'told', (client, takes) => {
      client.event(event(takes, `{"_placeholder":true,"num":${num}}`), [new Uint8Array(4)])
      return undefined
    }),
  ),
  fc
    .constantFrom('{', '[', '[]', '{}', '"text"', 'null', '[null,1]', '[{}]', '["text"', '[true]')
    .map(body => move(`event of ${body}`, 'told', client => void client.packet(2, body))),
  fc
    .constantFrom(...RESERVED)
    .map(name => move(`event ${name}`, 'told', client => void client.event(event(name)))),
  fc
    .constantFrom('7', '8', '9', 'x', '-', '\u0000')
    .map(type => move(`packet of type ${type}`, 'told', client => void client.say(`4${type}`))),
  fc.constantFrom(4_000, 400_000).map(depth =>
    move(`lists ${depth} deep with an attachment`, 'any', (client, takes) => {
      client.event(event(takes, '['.repeat(depth) + ']'.repeat(depth)), [new Uint8Array(4)])
      return undefined
    }),
  ),
  fc.constant(move('connected twice', 'closed', client => void client.packet(0, '{}'))),
  fc.constant(move('a refusal', 'closed', client => void client.packet(4, '{"message":"no"}'))),
  fc.constant(
    move('an event after the end', 'closed', (client, takes) => {
      client.packet(1, '')
      client.event(event(takes, '"x"'))
      return undefined
    }),
  ),
  fc
    .constantFrom('/', '/nothing', '/STS', '/stt/')
    .map(namespace =>
      move(`an event for ${namespace}`, 'closed', client => void client.say(`42${namespace},["text","x"]`)),
    ),
  fc
    .constantFrom('7', '9x', 'x', 'ÿ')
    .map(type => move(`message of type ${type}`, 'closed', client => void client.say(type))),
  fc.constant(
    move('a message of more than 1 MiB', 'closed', (client, takes) => {
      client.event(event(takes, JSON.stringify('x'.repeat(1024 * 1024))))
      return undefined
    }),
  ),
)

/** A valid packet with some characters changed. */
export const mutatedPacket: fc.Arbitrary<Move> = fc
  .tuple(
    fc.constantFrom('text', 'write_stream'),
    fc.array(
      fc.tuple(fc.nat(), fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }), fc.boolean()),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([takes, changes]) => {
    const list = Array.from(`451-/stt,7${event(takes, PLACE)}`)
    for (const [at, character, insert] of changes) list.splice(at % list.length, insert ? 0 : 1, character)
    const message = list.join('')
    return move(`message ${JSON.stringify(message)}`, 'any', client => {
      client.say(message)
      client.say(new Uint8Array(4))
      return undefined
    })
  })

/** The parameters that each namespace checks. */
const PARAMETERS = {
  '/stt': ['languageIdSource', 'sendAudio', 'partials', 'grammar'],
  '/translator': ['languageIdSource', 'languageIdTarget'],
  '/tts': ['languageIdTarget', 'receiveAudio', 'voiceId', 'voiceGender', 'voiceEngine'],
  '/sts': ['languageIdSource', 'languageIdTarget', 'sendAudio', 'receiveAudio', 'voiceId', 'partials'],
}

const field = fc
  .oneof(
    fc.tuple(
      fc.constantFrom('broadcastVia', 'obtainVia', 'codec', 'sampleRate', 'mode', '__proto__', 'rate'),
      fc.oneof(json, fc.constantFrom('"16000"', '16000.5', '-1', '1e400', '"chunk"', '"mp3"', 'null')),
    ),
  )
  .map(([name, each]) => `{${JSON.stringify(name)}:${each}}`)

/** Parameters of a connection to `name`, of which mostly one to three are wrong. */
export const wrongQuery = (name: keyof typeof PARAMETERS): fc.Arbitrary<URLSearchParams> =>
  fc
    .array(
      fc.tuple(
        fc.constantFrom(...PARAMETERS[name]),
        fc.oneof(
          field,
          json,
          text,
          fc.constantFrom('', 'true', 'xx-xx', 'en', 'EN-US', '{"sampleRate":"16000"}', '[]', '{'),
        ),
        fc.boolean(),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map(changes => {
      const query = goodQuery()
      for (const [name, each, again] of changes) {
        if (again) query.append(name, each)
        else query.set(name, each)
      }
      return query
    })

/** Parameters that are valid in every namespace. */
export function goodQuery(): URLSearchParams {
  return new URLSearchParams({
    languageIdSource: 'en-us',
    languageIdTarget: 'es-es',
    sendAudio: JSON.stringify(SEND),
    receiveAudio: JSON.stringify(RECEIVE),
  })
}
