import { expect } from 'vitest'
import { isLanguageId } from '../../../src/common/language.ts'
import type { SpeechToText, Transcript, TranscriptSink } from '../../../src/service/engines/engine.ts'
import { durationMs } from '../../../src/transcode/pcm.ts'
import type { Checks } from './suite.ts'

/** Speech for testing an engine: 16 kHz, several utterances with pauses between, ending in silence. */
export interface SpeechMaterial {
  readonly engine: SpeechToText
  readonly pcm: Int16Array
  /** A word of each utterance, in order. */
  readonly words: readonly string[]
  /** Maximum time for all of it: a silent engine must fail, not hang. */
  readonly patienceMs: number
}

/** Collects the results of a stream. */
function listener(patienceMs = 0) {
  const finals: Transcript[] = []
  const all: Transcript[] = []
  const errors: Error[] = []
  let wake = () => {}
  const note = (transcript: Transcript) => {
    all.push(transcript)
    wake()
  }
  const sink: TranscriptSink = {
    partial: note,
    final: transcript => {
      finals.push(transcript)
      note(transcript)
    },
    failed: error => {
      errors.push(error)
      wake()
    },
  }
  /** Until `count` finals have arrived, or the time is over. */
  const heard = async (count: number) => {
    const end = performance.now() + patienceMs
    while (finals.length < count && errors.length === 0 && performance.now() < end)
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, 100)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    return finals
  }
  return { sink, finals, all, errors, heard }
}

/** Cuts `pcm` into fragments of `samples`, like a client. */
function fragments(pcm: Int16Array, samples = 960): Int16Array[] {
  return Array.from({ length: Math.ceil(pcm.length / samples) }, (_, n) =>
    pcm.subarray(n * samples, (n + 1) * samples),
  )
}

/** Checks that every `SpeechToText` passes. */
export const speechToTextChecks: Checks<SpeechMaterial> = {
  async 'lists languages in the interface’s form'({ engine }) {
    expect(engine.languages.length).toBeGreaterThan(0)
    for (const language of engine.languages) expect(isLanguageId(language), language).toBe(true)
  },

  async 'rejects a language that it does not list'({ engine }) {
    await expect(engine.open('xx-xx', listener().sink)).rejects.toThrow(RangeError)
  },

  async 'recognizes every utterance of a stream, in order, each once'({ engine, pcm, words, patienceMs }) {
    const { sink, heard, all } = listener(patienceMs)
    const stream = await engine.open(engine.languages[0]!, sink)
    for (const fragment of fragments(pcm)) stream.write(fragment)
    const finals = await heard(words.length)
    await stream.close()
    expect(finals.map(({ utterance }) => utterance)).toEqual(words.map((_, index) => index + 1))
    for (const [index, word] of words.entries()) expect(finals[index]?.text.split(' ')).toContain(word)
    const order = all.map(({ utterance }) => utterance)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  },

  async 'places utterances within the audio, one after the other'({ engine, pcm, words, patienceMs }) {
    const { sink, heard, all } = listener(patienceMs)
    const stream = await engine.open(engine.languages[0]!, sink)
    for (const fragment of fragments(pcm)) stream.write(fragment)
    const finals = await heard(words.length)
    await stream.close()
    expect(finals.length).toBe(words.length)
    for (const { startMs, endMs } of all) {
      expect(startMs).toBeGreaterThanOrEqual(0)
      expect(endMs).toBeGreaterThan(startMs)
      expect(endMs).toBeLessThanOrEqual(durationMs(pcm.length))
    }
    for (const [index, next] of finals.slice(1).entries())
      expect(next.startMs).toBeGreaterThanOrEqual(finals[index]!.endMs)
  },

  async 'finishes the last utterance when the audio stops'({ engine, pcm, patienceMs }) {
    const { sink, heard } = listener(patienceMs)
    const stream = await engine.open(engine.languages[0]!, sink)
    stream.write(pcm.subarray(0, 24_000))
    const [first] = await heard(1)
    await stream.close()
    expect(first?.text).toMatch(/\w/)
    expect(first?.endMs).toBeLessThanOrEqual(1_500)
  },

  async 'copies its input'({ engine, pcm, words, patienceMs }) {
    const { sink, heard } = listener(patienceMs)
    const stream = await engine.open(engine.languages[0]!, sink)
    const buffer = new Int16Array(960)
    for (const fragment of fragments(pcm)) {
      buffer.set(fragment)
      stream.write(buffer.subarray(0, fragment.length))
      buffer.fill(0)
    }
    const [first] = await heard(1)
    await stream.close()
    expect(first?.text.split(' ')).toContain(words[0])
  },

  async 'sends nothing after close, which can be called at any time and twice'({ engine, pcm, patienceMs }) {
    const { sink, all, errors } = listener(patienceMs)
    const stream = await engine.open(engine.languages[0]!, sink)
    stream.write(pcm)
    await Promise.all([stream.close(), stream.close()])
    const known = all.length
    stream.write(pcm)
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(all.length).toBe(known)
    expect(errors).toEqual([])
  },

  async 'reports how much is still waiting'({ engine, pcm }) {
    const stream = await engine.open(engine.languages[0]!, listener().sink)
    expect(stream.queuedMs).toBe(0)
    stream.write(pcm)
    expect(stream.queuedMs).toBeGreaterThan(0)
    expect(stream.queuedMs).toBeLessThanOrEqual(durationMs(pcm.length))
    expect(stream.waitingMs).toBeLessThanOrEqual(stream.queuedMs)
    expect(stream.behindMs).toBeGreaterThanOrEqual(0)
    await stream.close()
  },
}
