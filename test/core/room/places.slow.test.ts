import { expect, test } from 'vitest'
import { systemClock, Ticker } from '../../../src/common/clock.ts'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { FakeSynthesizer, FakeTranslator } from '../../support/engines/fake-engines.ts'
import { ScriptedEars } from '../../support/engines/scripted-ears.ts'
import { LiveLeg } from '../../support/relay/live-leg.ts'
import { missedBy } from '../../support/relay/missed.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

const PATIENCE_MS = 20_000

/** Speakers of English and one Spanish listener, at the embedded server with some places. */
async function room(speakers: readonly string[], texts: readonly string[], maxSessions = 2) {
  const engines = new EngineSet({
    speechToText: [new ScriptedEars(texts)],
    translators: [new FakeTranslator()],
    synthesizers: [new FakeSynthesizer()],
  })
  const { url } = await fakeService({ maxSessions }, { engines })
  const relay = new Relay({
    translator: new ServiceTranslator({ url, apiKey: KEY }),
    options: relayOptions({ echoSuppression: false }),
  })
  await relay.ready()
  const translated: string[] = []
  let most = 0
  const outages = missedBy(relay.observer)
  relay.observer.on('caption', ({ name, final, translation }) => {
    if (final && translation) translated.push(`${name}: ${translation}`)
  })
  const voices = new Map<LiveLeg, { pcm: Int16Array; at: number }>()
  const legs = new Map<string, LiveLeg>()
  const join = (id: string, invitation: Partial<Invitation>) => {
    const leg = new LiveLeg(id, systemClock)
    legs.set(id, leg)
    relay.admit(leg, { room: 'r', ...invitation })
  }
  for (const name of speakers) join(name, { speaks: 'en-us', hears: 'en-us', name })
  join('listener', { hears: 'es-es', original: 'off' })
  const mouth = new Ticker(systemClock, FRAME_MS, () => {
    most = Math.max(most, relay.rooms.get('r')?.sessions ?? 0)
    for (const leg of legs.values()) {
      const voice = voices.get(leg)
      const frame = voice?.pcm.subarray(voice.at, voice.at + FRAME_SAMPLES)
      if (voice) voice.at += FRAME_SAMPLES
      leg.uplink?.write(frame?.length === FRAME_SAMPLES ? frame : new Int16Array(FRAME_SAMPLES))
    }
  })
  return {
    relay,
    outages,
    translated,
    join,
    get most() {
      return most
    },
    say: (name: string, ms: number) => voices.set(legs.get(name)!, { pcm: sine(300, ms), at: 0 }),
    async [Symbol.asyncDispose]() {
      mouth[Symbol.dispose]()
      await relay.close()
    },
  }
}

test('five speakers take turns at two places of the embedded server: all are translated, nobody is told otherwise', async () => {
  const speakers = ['Anna', 'Bert', 'Carla', 'Dora', 'Emil']
  await using it = await room(speakers, ['alpha', 'bravo', 'charlie', 'delta', 'echo'])
  for (const [turn, name] of speakers.entries()) {
    it.say(name, 800)
    await until(() => it.translated.length > turn, PATIENCE_MS, `the translation of ${name}`)
  }
  expect(it.translated).toEqual(['Anna: ALPHA', 'Bert: BRAVO', 'Carla: CHARLIE', 'Dora: DELTA', 'Emil: ECHO'])
  expect(it.outages).toEqual([])
  // The third one is open for a moment, while one of the others gives its place up.
  expect(it.most).toBeLessThanOrEqual(3)
  expect(it.relay.receptions.unavailable).toBe(0)
})

test('three speak at once: the listener is told about one of them, until a place is free', async () => {
  await using it = await room(['Anna', 'Bert', 'Carla'], ['alpha', 'bravo', 'charlie'])
  it.say('Anna', 5_000)
  it.say('Bert', 5_000)
  await until(() => it.relay.metrics.fragmentsSent > 20, PATIENCE_MS, 'two sessions')
  it.say('Carla', 3_000)
  await until(() => it.outages.length > 0, PATIENCE_MS, 'the notice')
  expect(it.outages).toMatchObject([{ name: 'Carla', listener: 'listener', missed: true }])
  await until(() => it.translated.length === 3, PATIENCE_MS, 'all translations')
  expect(it.translated.at(-1)).toBe('Carla: CHARLIE')
  await expect
    .poll(() => it.outages.map(({ name, missed }) => [name, missed]))
    .toEqual([
      ['Carla', true],
      ['Carla', false],
    ])
})

test('one place: three people of two languages, one speaks and is translated, and nobody is told otherwise', async () => {
  await using it = await room(['Anna'], ['alpha', 'bravo'], 1)
  for (const id of ['bert', 'carla']) it.join(id, { speaks: 'es-es', hears: 'es-es', name: id })
  for (const translation of ['ALPHA', 'BRAVO']) {
    it.say('Anna', 800)
    await until(() => it.translated.at(-1) === `Anna: ${translation}`, PATIENCE_MS, translation)
  }
  expect([it.outages, it.most]).toEqual([[], 1])
  expect(it.relay.receptions).toMatchObject({ unavailable: 0 })
})

test('one place: three speak at once, and are translated one after the other in the order in which they began', async () => {
  await using it = await room(['Anna', 'Bert', 'Carla'], ['alpha', 'bravo', 'charlie'], 1)
  it.say('Anna', 3_000)
  await until(() => it.relay.metrics.fragmentsSent > 5, PATIENCE_MS, 'the first session')
  it.say('Carla', 1_000)
  await until(() => it.outages.length > 0, PATIENCE_MS, 'that Carla is untranslated')
  it.say('Bert', 1_000)
  await until(() => it.translated.length === 3, PATIENCE_MS, 'all translations')
  expect(it.translated).toEqual(['Anna: ALPHA', 'Carla: BRAVO', 'Bert: CHARLIE'])
  await expect
    .poll(() => it.outages.map(({ name, missed }) => [name, missed]))
    .toEqual([
      ['Carla', true],
      ['Bert', true],
      ['Carla', false],
      ['Bert', false],
    ])
})
