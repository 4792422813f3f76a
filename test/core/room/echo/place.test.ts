import { describe, expect, test } from 'vitest'
import { voiceOf } from '../../../support/relay/echo-cases.ts'
import { EchoLeg, echoRoom, ROOMS } from '../../../support/relay/echo-room.ts'
import { recording } from '../../../support/transcode/speech-signal.ts'

const lounge = { sharedSpace: 'lounge' } as const
const only = { ...lounge, receives: 'none' } as const
const voices = [voiceOf(recording(5), 1.2), voiceOf(recording(2), 0.85)]

/** A voice channel: three speakers, two of them with loudspeakers, and an output per language. */
async function channel(db: number) {
  const r = await echoRoom({ voices })
  const way = { db, delayMs: 231, reflections: ROOMS.small }
  r.join('ana', { ...only, speaks: 'es-es' })
  const bob = r.join('bob', { ...only, speaks: 'en-us' }, way)
  const carl = r.join('carl', { ...only, speaks: 'es-es' }, { ...way, delayMs: 318 })
  const english = new EchoLeg('english', r.clock)
  const spanish = new EchoLeg('spanish', r.clock)
  for (const [ear, hears] of [
    [english, 'en-us'],
    [spanish, 'es-es'],
  ] as const) {
    r.legs.set(ear.id, ear)
    r.relay.admit(ear, { room: 'r', ...lounge, hears, original: 'off' })
  }
  // A bot plays to the channel, and its members hear each other directly.
  const voice = {
    ana: new EchoLeg('a', r.clock),
    bob: new EchoLeg('b', r.clock),
    carl: new EchoLeg('c', r.clock),
  }
  bob.around = [english, spanish, voice.ana]
  carl.around = [english, spanish, voice.ana]
  await r.run(400)
  return { ...r, voice }
}

describe.each([-40, -20, -6])('in a voice channel with loudspeakers (%d dB)', db => {
  test('translates one sentence once, for any listeners', async () => {
    const r = await channel(db)
    const said = recording(3)
    r.say('ana', said)
    // The others hear her directly, so that is played in real time, too.
    const whole = said.subarray(0, Math.floor(said.length / 320) * 320)
    r.voice.ana.play(whole)
    await r.run(12_000)
    expect(r.understood.map(({ from, to }) => `${from} ${to}`)).toEqual(['es-es en-us'])
    r.say('bob', recording(1))
    await r.run(14_000)
    expect(r.understood.map(({ from, to }) => `${from} ${to}`)).toEqual(['es-es en-us', 'en-us es-es'])
    await r.relay.close()
  })
})
