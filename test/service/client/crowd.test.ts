import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { randomFrom } from '../../../simulator/random.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { ContainedFaults } from '../../../src/core/model/contained-faults.ts'
import { RelayCounters } from '../../../src/core/model/relay-counters.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { FailoverTranslator } from '../../../src/core/translation/failover-translator.ts'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { Session } from '../../../src/core/translation/session.ts'
import { SessionPlaces } from '../../../src/core/translation/session-places.ts'
import type {
  Connection,
  ConnectionSink,
  TranslationRequest,
} from '../../../src/core/translation/translator.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

const CALLS = 500
/** Time of the service for each connection; they are opened one after the other (ms). */
const OPENING_MS = 2
const GONE = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })

test('a restarting service receives one probe at a time, then 500 calls reconnect in order, within 3 s', () => {
  const clock = new FakeClock()
  const random = randomFrom(5)
  let up = true
  let freeAt = 0
  let opening = 0
  let mostOpening = 0
  let tries = 0
  let backAt = 0
  const ends = new Set<() => void>()
  const recovered: number[] = []
  const open = (_request: TranslationRequest, sink: ConnectionSink): Connection => {
    let state: 'opening' | 'live' | 'over' = 'opening'
    let first = true
    tries++
    mostOpening = Math.max(mostOpening, ++opening)
    const end = () => {
      if (state === 'over') return
      if (state === 'opening') opening--
      state = 'over'
      ends.delete(end)
      sink.ended({ kind: 'failed', error: GONE })
    }
    ends.add(end)
    freeAt = Math.max(clock.now(), freeAt) + (up ? OPENING_MS : 0)
    clock.at(freeAt + 5, () => {
      if (!up) end()
      if (state !== 'opening') return
      opening--
      state = 'live'
      sink.ready()
    })
    return {
      send(_bytes, sequence) {
        if (state !== 'live') return
        if (first && backAt > 0) recovered.push(clock.now() - backAt)
        first = false
        clock.at(clock.now() + 20, () => sink.acked(sequence, true))
      },
      close: end,
    }
  }
  const gate = new FailoverTranslator([{ open, close: async () => {} }], { clock, random })
  const metrics = new RelayCounters()
  const pool = new FragmentPool()
  const services = {
    clock,
    log: noopLogger,
    metrics,
    translator: gate,
    pool,
    places: new SessionPlaces(clock),
    random,
    faults: new ContainedFaults(noopLogger, metrics),
  }
  const results = { result() {}, endOfSpeech() {}, interrupted() {} }
  const changed = () => {}
  const request = { from: 'en-us', to: 'es-es', want: 'speech' } as const
  const sessions = Array.from(
    { length: CALLS },
    (_, n) => new Session({ speaker: `${n}`, request, settings: relayOptions(), services, results, changed }),
  )
  for (const session of sessions) session.wake(clock.now())
  const frame = new Int16Array(FRAME_SAMPLES)
  const run = (ms: number) => {
    for (let at = 0; at < ms; at += 60) {
      // Silence, so that the test measures connections only.
      for (const session of sessions) for (let n = 0; n < 3; n++) session.write(frame, true, clock.now())
      clock.advance(60)
      for (const session of sessions) session.check(clock.now())
    }
  }
  run(5_000)
  expect(sessions.every(({ state }) => state.status === 'live')).toBe(true)
  tries = 0
  up = false
  for (const end of [...ends]) end()
  run(4_000)
  // Attempts in progress when it stopped, and a probe every 0.4 s.
  expect(tries).toBeLessThan(100)
  up = true
  backAt = clock.now()
  tries = 0
  mostOpening = 0
  run(4_000)
  expect(sessions.every(({ state }) => state.status === 'live')).toBe(true)
  expect(recovered).toHaveLength(CALLS)
  expect(Math.max(...recovered)).toBeLessThanOrEqual(3_000)
  expect(mostOpening).toBeLessThanOrEqual(50)
  expect(tries).toBe(CALLS)
})
