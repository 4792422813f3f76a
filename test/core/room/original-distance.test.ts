import { describe, expect, test } from 'vitest'
import { peak } from '../../../src/transcode/level.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { integratedLufs } from '../../support/transcode/loudness-meter.ts'
import { noise } from '../../support/transcode/signal.ts'
import { louder, recording } from '../../support/transcode/speech-signal.ts'

const at = (lufs: number, pcm: Int16Array) => louder(pcm, lufs - integratedLufs(pcm))
/** 12.3 s of one speaker, without the pauses of a whole conversation. */
const MICROPHONE = concat([recording(1), recording(3)])
const VOICE = concat([recording(4), recording(5)])
/** What a phone line leaves of it. */
const NARROW = createResampler(8_000, 16_000)
  .process(createResampler(16_000, 8_000).process(MICROPHONE).slice())
  .slice()

interface Call {
  readonly said?: Int16Array
  readonly voice?: Int16Array
  readonly original?: 'off' | 'low' | 'duck'
  readonly normalizeLoudness?: boolean
}

/** Bob hears Anna for 13 s, from the second 1 on in translation. */
async function heard({
  said,
  voice,
  original = 'duck',
  normalizeLoudness = true,
}: Call): Promise<Int16Array> {
  const r = await rooms({ normalizeLoudness })
  await using _relay = r.relay
  r.live('anna', { speaks: 'en-us', original: 'off' })
  const bob = r.live('bob', { hears: 'es-es', original })
  await r.run(200)
  if (said) r.say('anna', said)
  await r.run(3_000)
  if (voice) {
    const { sink } = r.connection('en-us', 'es-es')
    sink.result({ utterance: '1', final: true, text: 'a', audio: r.maker.encode(voice) })
    sink.endOfSpeech()
  }
  await r.run(10_000)
  return bob.between(0, bob.age).slice()
}

/** Plays the same call without the original, and measures both: the mix is their sum. */
async function distance(call: Required<Pick<Call, 'said' | 'voice'>> & Call): Promise<number> {
  const both = await heard(call)
  const translation = await heard({ ...call, said: new Int16Array(0) })
  expect(peak(both)).toBeLessThan(32_767)
  const original = both.map((sample, n) => sample - translation[n]!)
  // From 2 s into the translation until both end.
  const [from, to] = [5_200 * 16, 12_000 * 16]
  return integratedLufs(translation.subarray(from, to)) - integratedLufs(original.subarray(from, to))
}

describe('an original under its translation', () => {
  test.each([
    ['a loud microphone', { said: at(-10, MICROPHONE) }],
    ['an ordinary microphone', { said: at(-25, MICROPHONE) }],
    ['a whispering microphone', { said: at(-42, MICROPHONE) }],
    ['a phone line', { said: at(-30, NARROW) }],
    ['a loud voice', { voice: at(-11, VOICE) }],
    ['a quiet voice', { voice: at(-31, VOICE) }],
    ['a quiet voice, not normalized', { voice: at(-31, VOICE), normalizeLoudness: false }],
    ['a loud voice, not normalized', { voice: at(-18, VOICE), normalizeLoudness: false }],
    ['a constant distance', { said: at(-15, MICROPHONE), original: 'low' }],
  ] as const)('is 20 LU less loud: %s', async (_what, call) => {
    const found = await distance({ said: at(-25, MICROPHONE), voice: at(-20, VOICE), ...call })
    expect(Math.abs(found - 20)).toBeLessThan(1)
  })

  test.each([-10, -25, -40])(
    'is half as far from it between translations, from a microphone at %i LUFS',
    async lufs => {
      const alone = await heard({ said: at(lufs, MICROPHONE) })
      expect(Math.abs(integratedLufs(alone.subarray(3_000 * 16, 12_000 * 16)) + 30)).toBeLessThan(2)
    },
  )

  test('is heard at its own level without a translation', async () => {
    const r = await rooms()
    await using _relay = r.relay
    r.live('anna', { speaks: 'en-us' })
    const bob = r.live('bob', { hears: 'en-us' })
    const said = at(-38, MICROPHONE)
    r.say('anna', said)
    await r.run(12_000)
    expect(Math.abs(integratedLufs(bob.between(500, 11_500)) - integratedLufs(said))).toBeLessThan(0.5)
  })
})

describe('the amplification of a quiet original', () => {
  test('spares noise: alone, and in the pauses of a whisper', async () => {
    const room = Int16Array.from(noise(13 * 16_000), byte => (byte - 128) / 2)
    expect(peak(await heard({ said: room }))).toBeLessThanOrEqual(64)
    const whisper = at(-40, recording(4))
    const alone = await heard({ said: concat([whisper, room.subarray(0, 16_000 * 4)]) })
    const pause = 200 * 16 + whisper.length + 16_000
    expect(peak(alone.subarray(pause, pause + 32_000))).toBeLessThanOrEqual(64)
  })

  test('gives way at once to a shout', async () => {
    const said = concat([at(-40, recording(4)), at(-9, recording(5))])
    const alone = await heard({ said })
    const shout = alone.subarray(200 * 16 + recording(4).length)
    for (let n = 0; n + 8_000 < recording(5).length; n += 1_600)
      expect(peak(shout.subarray(n, n + 1_600))).toBeLessThan(17_000)
  })

  test('does not pump: the gain changes by less than 1.5 dB within 400 ms', async () => {
    const said = at(-33, MICROPHONE)
    const alone = await heard({ said })
    const gains: number[] = []
    // From 3 s on, when the voice is known: windows of 800 ms with speech. The original is heard 160 ms late.
    for (let n = 3_000; n < 11_500; n += 400) {
      const before = integratedLufs(said.subarray((n - 360) * 16, (n + 440) * 16))
      if (before > -45) gains.push(integratedLufs(alone.subarray(n * 16, (n + 800) * 16)) - before)
    }
    expect(gains.length).toBeGreaterThan(15)
    for (const [n, gain] of gains.entries()) expect(Math.abs(gain - (gains[n - 1] ?? gain))).toBeLessThan(1.5)
  })
})
