import fc from 'fast-check'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import type { ServiceErrorBody } from '../../../src/service/contract.ts'
import { ERROR_TABLE, type ErrorName } from '../../../src/service/server/errors.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { decodeSpeech } from '../../../src/transcode/speech-decoder.ts'
import type { FakeRecognizer } from '../../support/engines/fake-engines.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { bytesInUse } from '../../support/service/heap.ts'
import {
  goodQuery,
  lastMove,
  type Move,
  mutatedPacket,
  wrongEvent,
  wrongQuery,
} from '../../support/service/malformed-moves.ts'
import { NEVER_LATE } from '../../support/service/no-lag.ts'
import { RawClient } from '../../support/service/raw-client.ts'
import { fuzzSeeds } from '../../support/vitest/seeds.ts'

const CONNECTIONS = 100
const AT_ONCE = 8
/** The well-behaved client speaks after every such number of malformed ones. */
const TURN = 4
/** On a busy machine everything takes longer. */
const PATIENT = { timeout: 60_000, interval: 200 }
/** Resources that these clients could leave behind. */
const LEFT_BYTES = 8 * 1024 * 1024

const TAKES = {
  '/stt': 'write_stream',
  '/sts': 'write_stream',
  '/translator': 'text',
  '/tts': 'text',
} as const
type Name = keyof typeof TAKES

/** A misbehaving client: with its parameters, or in its session. */
type Client = { query: URLSearchParams } | { moves: Move[]; eager: boolean }

const clientOf = (name: Name): fc.Arbitrary<Client> =>
  fc.oneof(
    wrongQuery(name).map(query => ({ query })),
    fc
      .tuple(
        fc.array(wrongEvent, { maxLength: 6 }),
        fc.option(fc.oneof(lastMove, mutatedPacket)),
        fc.boolean(),
      )
      .map(([moves, last, eager]) => ({ moves: last ? [...moves, last] : moves, eager })),
  )

/** `body` is an error of the table that can occur here. */
function assertTold(body: unknown, ways: readonly string[]): ErrorName {
  const { error } = body as ServiceErrorBody
  const row = ERROR_TABLE[error as ErrorName]
  expect(row, JSON.stringify(body)).toBeDefined()
  expect(body).toEqual({ code: row.code, error, description: expect.stringMatching(/^\P{Cc}{10,400}$/u) })
  expect(ways, error).toContain(row.socket)
  expect(error).not.toBe('unexpected')
  return error as ErrorName
}

/** A well-behaved session of `/sts`, of which only the needed results are kept. */
async function healthy(url: string, ears: FakeRecognizer) {
  const query = Object.fromEntries(goodQuery())
  const socket = io(`${url}/sts`, {
    transports: ['websocket'],
    reconnection: false,
    auth: { token: KEY },
    query,
  })
  await new Promise(resolve => socket.once('start', resolve))
  const stream = ears.streams.at(-1)!
  const texts: string[] = []
  const errors: unknown[] = []
  let last = new Uint8Array(0)
  let said = 0
  let ends = 0
  socket.on('result', ({ text, file }: { text: string; file: { data: Uint8Array } }) => {
    texts.push(text)
    last = Uint8Array.from(file.data)
  })
  socket.on('endSynth', () => ends++)
  socket.on('error', error => errors.push(error))
  onTestFinished(() => void socket.disconnect())
  return {
    errors,
    get last() {
      return last
    },
    async say(text: string) {
      expect(await socket.timeout(PATIENT.timeout).emitWithAck('write_stream', new Uint8Array(640))).toBe(
        true,
      )
      said++
      stream.hear(text)
    },
    async heardAll() {
      await expect.poll(() => ends, PATIENT).toBe(said)
      return texts.toSorted()
    },
  }
}

const trials = fuzzSeeds(1).flatMap(seed => (Object.keys(TAKES) as Name[]).map(name => [name, seed] as const))

test.each(trials)(
  `${CONNECTIONS} malformed clients on %s get responses, leave no resources and do not affect other clients: seed %i`,
  async (name, seed) => {
    const { url, ready, engines, service, get } = await fakeService({ ...NEVER_LATE, maxSessions: 50 })
    const good = await healthy(url, engines.recognizer)
    const met = new Set<ErrorName>()
    let accepted = 0

    const wronglyAsked = async (raw: RawClient) => {
      await raw.until(() => raw.refusal !== undefined || raw.closed || raw.heard('start'))
      if (raw.heard('start')) return void accepted++
      if (raw.refusal !== undefined) return void met.add(assertTold(raw.refusal, ['connect_error']))
      expect(raw.errors).toHaveLength(1)
      expect(raw.left).toBe(true)
      met.add(assertTold(raw.errors[0], ['error, disconnect']))
    }

    const misbehaved = async (raw: RawClient, moves: readonly Move[], eager: boolean) => {
      const there = eager ? 'connected' : 'start'
      await raw.until(() => raw.heard(there) || raw.refusal !== undefined || raw.closed)
      expect(raw.heard(there), `refused: ${JSON.stringify(raw.refusal ?? raw.errors)}`).toBe(true)
      for (const { name: what, fate, play } of moves) {
        const errors = raw.errors.length
        const id = play(raw, TAKES[name])
        if (id !== undefined) {
          expect(await raw.until(() => raw.acks.has(id)), what).toBe(true)
          const [ack, ...rest] = raw.acks.get(id)!
          expect(rest).toEqual([])
          if (fate === 'refused') expect(ack, what).toBe(false)
          if (ack === false) expect(raw.errors.length, what).toBeGreaterThan(errors)
          else expect(ack, what).toBe(true)
        }
        if (fate !== 'told' && fate !== 'closed') continue
        expect(await raw.until(() => raw.closed), what).toBe(true)
        const last = raw.errors.at(-1) as ServiceErrorBody | undefined
        expect(last?.error === 'packet_malformed', what).toBe(fate === 'told')
      }
      // The client always learns if the session continues.
      const [payload, attachments] =
        TAKES[name] === 'text' ? ['"good"', []] : ['{"_placeholder":true,"num":0}', [new Uint8Array(640)]]
      const id = raw.closed ? undefined : raw.event(`["${TAKES[name]}",${payload}]`, attachments)
      const answered = await raw.until(() => raw.closed || (id !== undefined && raw.acks.has(id)))
      expect(answered, moves.map(each => each.name).join('; ')).toBe(true)
      for (const body of raw.errors) met.add(assertTold(body, ['error', 'error, disconnect']))
    }

    const one = async (each: Client) => {
      // Some send before `start`.
      engines.recognizer.gate = new Promise(resolve => setTimeout(resolve, 10))
      const raw = new RawClient(url, name, KEY, 'query' in each ? each.query : goodQuery())
      if ('query' in each) await wronglyAsked(raw)
      else await misbehaved(raw, each.moves, each.eager)
      raw.close()
    }

    const stream = fc.sample(clientOf(name), { seed, numRuns: CONNECTIONS }).entries()
    const some = async (until: number) => {
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const [number, each] of stream) {
            await one(each)
            if (number % TURN === 0) await good.say(`one two ${number}`)
            if (number >= until) return
          }
        }),
      )
    }
    // Speech in progress has an encoder, of 16 MiB each.
    const rest = async () => {
      await good.heardAll()
      await expect.poll(() => service.io.engine.clientsCount, PATIENT).toBe(1)
      await expect.poll(() => engines.recognizer.streams.filter(each => !each.closed).length, PATIENT).toBe(1)
    }
    await some(CONNECTIONS / 4)
    await rest()
    const before = bytesInUse()
    await some(CONNECTIONS)
    await rest()
    await expect.poll(() => bytesInUse() - before, PATIENT).toBeLessThan(LEFT_BYTES)
    expect(accepted).toBeLessThan(CONNECTIONS / 4)
    expect(met.size, Array.from(met).join()).toBeGreaterThan(6)

    // The well-behaved session received exactly its own results.
    const all = Array.from({ length: CONNECTIONS / TURN }, (_, turn) => `one two ${turn * TURN}`)
    expect(await good.heardAll()).toEqual(all.toSorted())
    expect(good.errors).toEqual([])
    const spoken = await decodeSpeech(good.last, 60)
    expect(spoken.length).toBeGreaterThan(3 * 0.2 * 16_000 * 0.9)
    expect(loudness(spoken.subarray(1_600, 8_000), 440, 16_000)).toBeGreaterThan(4_000)

    // The others are gone, and the next one is served.
    expect(await (await get('/health')).json()).toMatchObject({ status: 'ok', sessions: 1 })
    await ready(name)
  },
  180_000,
)
