import { BridgeError } from '../../../src/common/errors.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { RelayMetrics } from '../../../src/core/model/relay-metrics.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { Session } from '../../../src/core/translation/session.ts'
import { FakeClock } from '../../../src/simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../../../src/simulator/fakes/fake-translator.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

/** An end of a connection that allows a retry. */
export const lost = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })

/** A session on a manual clock, with a service that the test controls. */
export function sessionSetup() {
  const clock = new FakeClock()
  const translator = new FakeTranslator()
  translator.autoReady = false
  const metrics = new RelayMetrics()
  const seen: string[] = []
  const pool = new FragmentPool()
  const session = new Session({
    speaker: 'anna',
    request: { from: 'en-us', to: 'es-es', want: 'speech' },
    settings: relayOptions(),
    services: { clock, log: noopLogger, metrics, translator, pool, random: () => 0.5 },
    results: {
      result: result => seen.push(`result ${result.text}`),
      endOfSpeech: () => seen.push('end'),
      interrupted: () => seen.push('interrupted'),
    },
    changed: ({ state }) => seen.push(state.status),
  })
  session.start()
  let value = 0
  /** Speaks `ms` of frames numbered in their samples, in real time. */
  const speak = (ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      session.write(new Int16Array(FRAME_SAMPLES).fill(value++), false, clock.now())
      clock.advance(20)
      session.check(clock.now())
    }
  }
  /** The frame numbers that the newest connection received. */
  const sent = () =>
    translator.last.sent.flatMap(({ bytes }) =>
      [0, 1, 2].map(n => new Int16Array(bytes.buffer, bytes.byteOffset, 960)[n * FRAME_SAMPLES]),
    )
  return { clock, translator, metrics, seen, session, speak, sent }
}

/** The numbers from `from` up to, but not including, `to`. */
export const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)
