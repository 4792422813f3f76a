import { describe, expect, test } from 'vitest'
import { type Answering, ScriptedService, type ScriptedSession } from '../../../simulator/index.ts'
import { systemClock, Ticker } from '../../../src/common/clock.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { ContainedFaults } from '../../../src/core/model/contained-faults.ts'
import { RelayCounters } from '../../../src/core/model/relay-counters.ts'
import { type RelaySettings, relayOptions } from '../../../src/core/model/relay-settings.ts'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { Session } from '../../../src/core/translation/session.ts'
import { SessionPlaces } from '../../../src/core/translation/session-places.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { until } from '../../support/until.ts'

/** A speech of 2.4 s: 40 fragments of three frames. */
const FRAMES = 120
/** Ten times faster than real time: the rates do not matter here, and forty services run at once. */
const FRAME_EVERY_MS = 2
/** One machine runs all services: milliseconds can become seconds. */
const PATIENCE_MS = 20_000

/** Finals that cover the audio since the last one: after every tenth fragment. */
const covered = new WeakMap<ScriptedSession, number>()
const answerEveryTenth: Answering = session => () => {
  if (session.fragments % 10 !== 0) return
  covered.set(session, session.samples / FRAME_SAMPLES)
  session.say({ endMs: session.heardMs })
}

/** A session on a real socket to its own service. */
async function setUp(options: Partial<RelaySettings> = {}) {
  // A slow machine is not a silent service: timeouts are long, except in the tests of silence.
  const patient = { fragmentMs: 60, ackDeadlineMs: 10_000, ...options }
  const service = await ScriptedService.listen({ answer: answerEveryTenth, record: true })
  const deadlines = { connectMs: PATIENCE_MS, startMs: PATIENCE_MS }
  const translator = new ServiceTranslator({ url: service.url, apiKey: service.apiKey, deadlines })
  const metrics = new RelayCounters()
  const statuses: string[] = []
  const session = new Session({
    speaker: 'anna',
    request: { from: 'en-us', to: 'es-es', want: 'speech' },
    settings: relayOptions(patient),
    services: {
      clock: systemClock,
      log: noopLogger,
      metrics,
      translator,
      pool: new FragmentPool(),
      places: new SessionPlaces(systemClock),
      random: () => 0.5,
      faults: new ContainedFaults(noopLogger, metrics),
    },
    results: { result() {}, endOfSpeech() {}, interrupted() {} },
    changed: ({ status }) => statuses.push(status),
  })
  session.wake(systemClock.now())
  const watch = new Ticker(systemClock, 50, now => session.check(now))
  /** Speaks frames `from` to `to`, exclusive: each carries its own number in its samples. */
  const speak = async (from = 0, to = FRAMES) => {
    const begun = systemClock.now()
    for (let n = from; n < to; n++) {
      session.write(new Int16Array(FRAME_SAMPLES).fill(n), false, systemClock.now())
      // On a grid: late frames are spoken at once.
      const ahead = begun + (n + 1 - from) * FRAME_EVERY_MS - systemClock.now()
      if (ahead > 0) await new Promise(resolve => setTimeout(resolve, ahead))
    }
  }
  const close = async () => {
    watch[Symbol.dispose]()
    await session.close({ kind: 'unused' })
    await translator.close()
    await service.close()
  }
  return { service, session, metrics, statuses, speak, close }
}

/** The numbers of the frames that a connection received. */
function carried({ pcm }: ScriptedSession): number[] {
  return Array.from({ length: pcm.length / FRAME_SAMPLES }, (_, n) => pcm[n * FRAME_SAMPLES]!)
}

type SetUp = Awaited<ReturnType<typeof setUp>>

const arrived = ({ service }: SetUp) =>
  until(
    () => service.sessions.some(each => carried(each).includes(FRAMES - 1)),
    PATIENCE_MS,
    'the last frame',
  )

/** Each connection received a continuous interval; the next one repeated the unanswered part of a dead one. */
function expectEverythingInOrder({ service }: SetUp): void {
  let answered = 0
  for (const session of service.sessions) {
    const frames = carried(session)
    if (frames.length === 0) continue
    expect(frames[0]).toBeLessThanOrEqual(answered)
    expect(frames).toEqual(frames.map((_, n) => frames[0]! + n))
    answered = frames[0]! + (covered.get(session) ?? 0)
  }
  const all = new Set(service.sessions.flatMap(carried))
  expect(all.size).toBe(FRAMES)
}

describe('speech, during any service failure', () => {
  test('arrives whole when the connection is cut at any fragment, for any time up to 2 s', async () => {
    const drops = Array.from({ length: 40 }, (_, index) => index + 1)
    await Promise.all(
      drops.map(async dropAt => {
        const s = await setUp()
        s.service.next({ dropAt, dropHow: dropAt % 3 === 0 ? 'kick' : 'cut' })
        const first = await s.service.sessionOf(1)
        // Every outage from zero to two seconds, in random order.
        const outageMs = (dropAt * 850) % 2_050
        const back = first.ended.then(async () => {
          if (outageMs < 50) return
          await s.service.stop()
          await new Promise(resolve => setTimeout(resolve, outageMs))
          await s.service.start()
        })
        await s.speak()
        await back
        await arrived(s)
        expect(first.fragments, `fragments before the cut at ${dropAt}`).toBe(dropAt - 1)
        expect(s.service.sessions.length).toBeGreaterThanOrEqual(2)
        await s.close()
        expectEverythingInOrder(s)
        expect(s.metrics.lostMs).toBe(0)
      }),
    )
  })

  test('arrives whole over a connection that is cut again and again', async () => {
    const s = await setUp()
    for (const dropAt of [5, 1, 8, 2, 13, 3]) s.service.next({ dropAt })
    await s.speak()
    await arrived(s)
    await s.close()
    expectEverythingInOrder(s)
    expect(s.metrics).toMatchObject({ lostMs: 0, sessionsDropped: 6 })
  })

  test('moves to another connection when the service hangs', async () => {
    const s = await setUp({ ackDeadlineMs: 500 })
    const first = await s.service.sessionOf(1)
    await s.speak(0, 60)
    await until(() => first.fragments === 20, PATIENCE_MS, 'half of the speech')
    first.hang()
    const saying = s.speak(60)
    await until(() => s.session.lack !== undefined, PATIENCE_MS, 'that it is noticed')
    await saying
    await arrived(s)
    await s.close()
    expectEverythingInOrder(s)
    expect(s.metrics).toMatchObject({ lostMs: 0, sessionsDropped: 1 })
  })

  test('stays on a slow service within the deadline', async () => {
    const s = await setUp({ ackDeadlineMs: 5_000 })
    s.service.faults.ackAfterMs = 300
    await s.speak()
    await arrived(s)
    await s.close()
    expect(s.service.sessions).toHaveLength(1)
    expectEverythingInOrder(s)
    expect(s.metrics).toMatchObject({ lostMs: 0, sessionsDropped: 0, fragmentsReplayed: 0 })
  })

  test('is sent again, and arrives once, when the service reports a failure', async () => {
    const s = await setUp()
    await s.service.sessionOf(1)
    const saying = s.speak(0, 60)
    await saying
    s.service.faults.nack = 4
    await s.speak(60)
    await arrived(s)
    await until(() => s.service.session?.fragments === 40, PATIENCE_MS, 'all fragments')
    await s.close()
    expect(s.service.sessions).toHaveLength(1)
    expect(s.service.session?.arrived).toBe(44)
    expect(carried(s.service.session!).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: FRAMES }, (_, n) => n),
    )
    expect(s.metrics).toMatchObject({ lostMs: 0, sessionsDropped: 0, fragmentsSent: 44 })
  })

  test('moves to another connection when the service stops accepting', async () => {
    const s = await setUp()
    s.service.next({ nack: Number.POSITIVE_INFINITY })
    await s.speak()
    // The tolerance of five seconds is deliberate: a service can be short of memory temporarily.
    await arrived(s)
    await s.close()
    expect(s.service.sessions[0]?.fragments).toBe(0)
    expectEverythingInOrder(s)
    expect(s.metrics).toMatchObject({ lostMs: 0, sessionsDropped: 1 })
  })

  test("beyond the replay buffer's length is lost at its start, and counted", async () => {
    const s = await setUp({ replayMs: 1_200 })
    await s.service.stop()
    await s.speak()
    await s.service.start()
    await arrived(s)
    await s.close()
    const frames = s.service.sessions.flatMap(carried)
    expect(frames).toEqual(Array.from({ length: 60 }, (_, n) => 60 + n))
    expect(s.metrics.lostMs).toBe(1_200)
  })
})
