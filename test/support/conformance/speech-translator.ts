import { expect } from 'vitest'
import { isLanguageId } from '../../../src/common/language.ts'
import type {
  InterpretationSink,
  InterpretedText,
  SpeechTranslator,
} from '../../../src/service/engines/engine.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { durationMs } from '../../../src/transcode/pcm.ts'
import type { Checks } from './suite.ts'

/** Speech for testing an engine: 16 kHz, utterances with pauses of over a second between and after them. */
export interface InterpretationMaterial {
  readonly engine: SpeechTranslator
  readonly from: string
  readonly to: string
  readonly pcm: Int16Array
  /** Of each utterance, in order: a word, its translation, and the pitch of the translated speech (Hz). */
  readonly said: readonly { readonly word: string; readonly translation: string; readonly spokenHz: number }[]
  readonly patienceMs: number
}

type Event =
  | { readonly kind: 'partial' | 'final'; readonly text: InterpretedText }
  | { readonly kind: 'audio'; readonly utterance: number; readonly pcm: Int16Array; readonly rate: number }

/** Collects the results of a stream. */
function listener(patienceMs: number) {
  const events: Event[] = []
  const errors: Error[] = []
  const sink: InterpretationSink = {
    partial: text => void events.push({ kind: 'partial', text }),
    audio: (utterance, pcm, rate) => void events.push({ kind: 'audio', utterance, pcm, rate }),
    final: text => void events.push({ kind: 'final', text }),
    failed: error => void errors.push(error),
  }
  const finals = () => events.flatMap(event => (event.kind === 'final' ? [event.text] : []))
  const until = async (met: () => boolean) => {
    const end = performance.now() + patienceMs
    while (!met() && errors.length === 0 && performance.now() < end)
      await new Promise(resolve => setTimeout(resolve, 10))
  }
  return { sink, events, errors, finals, until }
}

const STEP = 960

/** Speaks `pcm` in real time, as a caller does; `buffered`: through one buffer that is overwritten. */
async function speak(write: (pcm: Int16Array) => void, pcm: Int16Array, buffered = false): Promise<void> {
  const begin = performance.now()
  const buffer = new Int16Array(STEP)
  for (let at = 0; at < pcm.length; at += STEP) {
    const wait = begin + durationMs(at) - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    const piece = pcm.subarray(at, at + STEP)
    buffer.set(piece)
    write(buffered ? buffer.subarray(0, piece.length) : piece)
    buffer.fill(0)
  }
}

/** Checks that every `SpeechTranslator` passes. */
export const speechTranslatorChecks: Checks<InterpretationMaterial> = {
  async 'lists target languages in the interface’s form, never the source'({ engine, from, to }) {
    expect(engine.targets(from)).toContain(to)
    for (const target of engine.targets(from)) expect(isLanguageId(target), target).toBe(true)
    expect(engine.targets(from)).not.toContain(from)
    expect(engine.targets('xx-xx')).toEqual([])
  },

  async 'rejects a pair or a voice that it does not list'({ engine, from, to }) {
    const { sink } = listener(0)
    await expect(engine.open({ from, to: 'xx-xx' }, sink)).rejects.toThrow(RangeError)
    await expect(engine.open({ from, to, voiceId: 'no such voice' }, sink)).rejects.toThrow(RangeError)
  },

  async 'translates and speaks every utterance, in order, each once'(material) {
    const { engine, from, to, pcm, said, patienceMs } = material
    const { sink, events, errors, finals, until } = listener(patienceMs)
    const stream = await engine.open({ from, to }, sink)
    await speak(piece => stream.write(piece), pcm, true)
    await until(() => finals().length >= said.length)
    await stream.close()
    expect(errors).toEqual([])
    expect(finals().map(({ utterance }) => utterance)).toEqual(said.map((_, index) => index + 1))
    for (const [index, { word, translation, spokenHz }] of said.entries()) {
      const { text, translation: translated } = finals()[index]!
      expect(translated.toLowerCase()).toContain(translation)
      if (text !== '') expect(text.toLowerCase()).toContain(word)
      const voice = events.flatMap(event =>
        event.kind === 'audio' && event.utterance === index + 1 ? [event] : [],
      )
      const loud = voice.filter(({ pcm: piece, rate }) => loudness(piece, spokenHz, rate) > 1_000)
      expect(loud.length, `speech of utterance ${index + 1}`).toBeGreaterThan(0)
    }
    // Nothing of an utterance after its final, nothing of the next one before it.
    const order = events.map(event => (event.kind === 'audio' ? event.utterance : event.text.utterance))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  },

  async 'speaks before an utterance is over, and its texts only grow'(material) {
    const { engine, from, to, pcm, patienceMs } = material
    const { sink, events, finals, until } = listener(patienceMs)
    const stream = await engine.open({ from, to }, sink)
    await speak(piece => stream.write(piece), pcm)
    await until(() => finals().length > 0)
    await stream.close()
    const kinds = events.map(({ kind }) => kind)
    expect(kinds.indexOf('audio')).toBeLessThan(kinds.indexOf('final'))
    expect(kinds.indexOf('partial')).toBeLessThan(kinds.indexOf('final'))
    const first = events.flatMap(event =>
      event.kind !== 'audio' && event.text.utterance === 1 ? [event.text] : [],
    )
    for (const [index, { translation }] of first.slice(1).entries())
      expect(translation.startsWith(first[index]!.translation)).toBe(true)
  },

  async 'places utterances within the audio, one after the other'(material) {
    const { engine, from, to, pcm, said, patienceMs } = material
    const { sink, finals, until } = listener(patienceMs)
    const stream = await engine.open({ from, to }, sink)
    await speak(piece => stream.write(piece), pcm)
    await until(() => finals().length >= said.length)
    await stream.close()
    expect(finals().length).toBe(said.length)
    let last = 0
    for (const { startMs, endMs } of finals()) {
      expect(startMs).toBeGreaterThanOrEqual(last)
      expect(endMs).toBeGreaterThan(startMs)
      last = endMs
    }
    // Engines that work in steps report the end of the step.
    expect(last).toBeLessThanOrEqual(durationMs(pcm.length) + 200)
  },

  async 'sends nothing after close, which can be called at any time and twice'(material) {
    const { engine, from, to, pcm } = material
    const { sink, events, errors } = listener(0)
    const stream = await engine.open({ from, to }, sink)
    stream.write(pcm)
    await Promise.all([stream.close(), stream.close()])
    const known = events.length
    stream.write(pcm)
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(events.length).toBe(known)
    expect(errors).toEqual([])
  },
}
