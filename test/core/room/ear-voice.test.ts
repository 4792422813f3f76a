import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { RelayEvents } from '../../../src/core/model/events.ts'
import { relayMetrics } from '../../../src/web/metrics/relay-metrics.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

test('each clause tells its time from the words to the confirmed playout, by language pair', async () => {
  const { relay, live, run, say, connection, maker } = await rooms()
  const heard: RelayEvents['earVoice'][] = []
  relay.observer.on('earVoice', event => void heard.push(event))
  live('anna', { speaks: 'en-us', hears: 'en-us' })
  live('bob', { speaks: 'es-es', hears: 'es-es' })
  await run(500)
  say('anna', sine(440, 4_000))
  const { sink } = connection('en-us', 'es-es')
  const part = (endMs: number, speakingMs: number) => ({ endMs, speakingMs, text: 0, translation: 0 })
  const said = { utterance: '1', final: false, text: 'one two', translation: 'uno dos' }
  await run(3_000)
  // Said at 1 to 2 s of the connection's audio, which began with the room.
  sink.result({ ...said, spoken: part(1_000, 2_000), audio: maker.tone(700, 600) })
  await run(1_000)
  sink.result({ ...said, spoken: part(2_000, 3_000), audio: maker.tone(900, 600) })
  await run(2_000)
  sink.result({ ...said, final: true, spoken: part(3_000, 3_000) })
  sink.endOfSpeech()
  await run(1_000)
  expect(heard).toMatchObject([
    { room: 'r', speaker: 'anna', listener: 'bob' },
    { room: 'r', speaker: 'anna', listener: 'bob' },
  ])
  // 3.5 s of audio less its middle at 1.5 s, and the time to the listener.
  for (const { spanMs } of heard) {
    expect(spanMs).toBeGreaterThanOrEqual(2_000)
    expect(spanMs).toBeLessThan(2_500)
  }
  const registry = new Registry()
  for (const metric of relayMetrics(relay)) registry.registerMetric(metric)
  expect(await registry.metrics()).toContain(
    'dragoman_ear_voice_span_seconds_count{from="en-us",to="es-es"} 2',
  )
  await relay.close()
})
