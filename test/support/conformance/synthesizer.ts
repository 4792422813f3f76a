import { expect } from 'vitest'
import { isLanguageId } from '../../../src/common/language.ts'
import { AUDIO_RATES, MODES } from '../../../src/service/contract.ts'
import type { Synthesizer } from '../../../src/service/engines/engine.ts'
import type { Checks } from './suite.ts'

const never = new AbortController().signal

/** The engine's complete speech, in one piece. */
async function spoken(engine: Synthesizer, text: string, signal = never) {
  const speech = await engine.speak(text, engine.voices[0]!.voiceId, signal)
  const samples: number[] = []
  let pieces = 0
  for await (const piece of speech.pieces) {
    pieces++
    for (const sample of piece) samples.push(sample)
  }
  return { rate: speech.rate, ms: (samples.length * 1000) / speech.rate, samples, pieces }
}

function loudness(samples: readonly number[]): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length))
}

/** Checks that every `Synthesizer` passes. */
export const synthesizerChecks: Checks<Synthesizer> = {
  async 'lists voices, each once, with all fields of the interface'(engine) {
    expect(engine.voices.length).toBeGreaterThan(0)
    expect(new Set(engine.voices.map(voice => voice.voiceId)).size).toBe(engine.voices.length)
    for (const voice of engine.voices) {
      expect(isLanguageId(voice.languageId), voice.languageId).toBe(true)
      expect(['M', 'F']).toContain(voice.voiceGender)
      expect(['neural', 'standard']).toContain(voice.voiceEngine)
      expect(voice.modes.length).toBeGreaterThan(0)
      for (const mode of voice.modes) expect(MODES).toContain(mode)
    }
  },

  async 'rejects a voice that it does not list'(engine) {
    await expect(engine.speak('hola', 'no such voice', never)).rejects.toThrow(RangeError)
  },

  async 'speaks at a usual rate, audibly, and longer for longer texts'(engine) {
    const short = await spoken(engine, 'buenos días')
    const long = await spoken(engine, 'buenos días, me gustaría reservar una mesa para mañana')
    expect(AUDIO_RATES).toContain(short.rate)
    expect(short.ms).toBeGreaterThan(300)
    expect(long.ms).toBeGreaterThan(short.ms * 1.5)
    expect(loudness(long.samples)).toBeGreaterThan(300)
    expect(Math.max(...long.samples)).toBeLessThan(32_767)
  },

  async 'serves several at once like a single one'(engine) {
    const texts = ['uno', 'dos y tres', 'cuatro cinco seis']
    const alone: number[] = []
    for (const text of texts) alone.push((await spoken(engine, text)).samples.length)
    const together = await Promise.all(texts.map(text => spoken(engine, text)))
    expect(together.map(each => each.samples.length)).toEqual(alone)
  },

  async 'treats any text as text'(engine) {
    for (const text of ['--voices', '-v en hello', 'uno\0dos\ntres', '<speak>hola</speak>', 'ñandú 😀'])
      expect((await spoken(engine, text)).ms, text).toBeGreaterThan(100)
    expect((await spoken(engine, '')).ms).toBeLessThan(1_000)
  },

  async 'ends quietly when aborted'(engine) {
    const stop = new AbortController()
    const long = 'palabra '.repeat(400)
    const whole = await spoken(engine, long)
    const speech = await engine.speak(long, engine.voices[0]!.voiceId, stop.signal)
    let samples = 0
    for await (const piece of speech.pieces) {
      samples += piece.length
      stop.abort()
    }
    expect(samples).toBeLessThan(whole.samples.length)
    expect((await spoken(engine, 'hola', AbortSignal.abort())).samples.length).toBeLessThan(22_050)
  },
}
