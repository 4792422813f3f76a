import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { ContainedFaults } from '../../../src/core/model/contained-faults.ts'
import { RelayCounters } from '../../../src/core/model/relay-counters.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { Session } from '../../../src/core/translation/session.ts'
import { SessionPlaces } from '../../../src/core/translation/session-places.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { LogLines } from '../log-lines.ts'

/** An end of a connection that allows a retry. */
export const lost = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })

/** Changes to the session of `sessionSetup`. */
interface SessionSetupOptions {
  /** Default: speech. */
  readonly want?: 'speech' | 'captions'
  /** Called for every result; what it throws is a fault of the listener. */
  readonly onResult?: () => void
}

/** A session on a manual clock, with a service that the test controls. */
export function sessionSetup({ want = 'speech', onResult = () => {} }: SessionSetupOptions = {}) {
  const clock = new FakeClock()
  const translator = new FakeTranslator()
  translator.autoReady = false
  const metrics = new RelayCounters()
  const seen: string[] = []
  const pool = new FragmentPool()
  const places = new SessionPlaces(clock)
  const log = new LogLines()
  const faults = new ContainedFaults(log, metrics)
  const session = new Session({
    speaker: 'anna',
    request: { from: 'en-us', to: 'es-es', want },
    settings: relayOptions({ fragmentMs: 60 }),
    services: { clock, log, metrics, translator, pool, places, random: () => 0.5, faults },
    results: {
      result: result => {
        seen.push(`result ${result.text}`)
        onResult()
      },
      endOfSpeech: () => seen.push('end'),
      interrupted: () => seen.push('interrupted'),
    },
    changed: ({ status }) => seen.push(status),
  })
  session.wake(clock.now())
  seen.length = 0
  let value = 0
  /** Speaks `ms` of frames numbered in their samples, in real time. */
  const speak = (ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      session.write(new Int16Array(FRAME_SAMPLES).fill(value++), false, clock.now())
      session.wake(clock.now())
      clock.advance(20)
      session.check(clock.now())
    }
  }
  /** The frame numbers that the newest connection received. */
  const sent = () =>
    translator.last.sent.flatMap(({ bytes }) =>
      [0, 1, 2].map(n => new Int16Array(bytes.buffer, bytes.byteOffset, 960)[n * FRAME_SAMPLES]),
    )
  return { clock, translator, metrics, log, pool, places, seen, session, speak, sent }
}

/** The numbers from `from` up to, but not including, `to`. */
export const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)
