import { durationMs, FRAME_SAMPLES, SAMPLE_RATE } from '../transcode/pcm.ts'
import type { ScriptedSession } from './scripted-session.ts'
import { type Mp3Maker, type Mp3Rate, tone, toneOf } from './tone-mp3.ts'

/** How a scripted service answers: made once per session, then called with the audio of every fragment taken. */
export type Answering = (session: ScriptedSession, maker: Mp3Maker) => (pcm: Int16Array) => void

/** How a scripted service answers text: called with every text taken. */
export type TextAnswering = (session: ScriptedSession, text: string, maker: Mp3Maker) => void

/** A voice takes so long for one character (ms). */
const CHARACTER_MS = 50

/** Answers every text: with a translation, on `/tts` with a tone as long as the text. */
export const texts: TextAnswering = (session, text, maker) => {
  if (session.namespace !== '/tts') return void session.say({ text })
  const rate = rateOf(session)
  const audio = maker.tone(toneOf(session.to), Math.max(1, text.length) * CHARACTER_MS, rate)
  session.say({ text, audio, rate })
}

/** What counts as an utterance, and the tone that answers it. */
export interface ToneOptions {
  /** Hz of the answer; `heardHz` is the speaker's own tone, estimated. Default: `toneOf(to)`. */
  hz?: (to: string, heardHz: number) => number
  /** An utterance ends after this much quiet. Default 300. */
  silenceMs?: number
  /** … or when it has become this long. Default 10 000. */
  longestMs?: number
  /** A frame is speech from this root mean square on, of 32 768. Default 300. */
  threshold?: number
  /** Answers per this much audio, quiet or not, instead of listening for utterances. */
  everyMs?: number
  /** Sample rate of the mp3. Default: what the session asked for. */
  rate?: Mp3Rate
  /** Sends a partial result after every this much speech, when the session asked for partials. Default 500. */
  partialMs?: number
}

/** Says nothing; the test speaks through `session.say` and `session.emit`. */
export const silence: Answering = () => () => {}

/** Finds utterances by their energy and answers each with a tone as long as the speech. */
export function tones(options: ToneOptions = {}): Answering {
  const { silenceMs = 300, longestMs = 10_000, threshold = 300, everyMs, partialMs = 500 } = options
  return (session, maker) => {
    const frame = new Int16Array(FRAME_SAMPLES)
    let filled = 0
    let frames = 0
    let last = 0
    let open: { startMs: number; loudUntilMs: number; crossings: number; partials: number } | undefined

    function finish(startMs: number, endMs: number, crossings: number): void {
      const heardHz = Math.round((crossings * 1000) / (2 * (endMs - startMs)) / 10) * 10
      const hz = options.hz ? options.hz(session.to, heardHz) : toneOf(session.to)
      const rate = options.rate ?? rateOf(session)
      const spoken = session.to
        ? { audio: maker.tone(hz, endMs - startMs, rate), pcm: tone(hz, endMs - startMs), rate }
        : {}
      open = undefined
      session.say({ ...spoken, startMs, endMs })
    }

    function take(): void {
      const endMs = ++frames * 20
      const loud = everyMs !== undefined || loudness(frame) >= threshold
      if (loud) open ??= { startMs: endMs - 20, loudUntilMs: endMs, crossings: 0, partials: 0 }
      if (!open) return
      if (loud) {
        open.loudUntilMs = endMs
        open.crossings += crossingsOf(frame, last)
      }
      const spokenMs = open.loudUntilMs - open.startMs
      const over =
        everyMs === undefined
          ? spokenMs >= longestMs || endMs - open.loudUntilMs >= silenceMs
          : spokenMs >= everyMs
      if (over) {
        finish(open.startMs, open.loudUntilMs, open.crossings)
        return
      }
      if (!session.parameters.partials || spokenMs < (open.partials + 1) * partialMs) return
      open.partials++
      session.partial({ startMs: open.startMs, endMs })
    }

    return pcm => {
      for (const sample of pcm) {
        frame[filled++] = sample
        if (filled < FRAME_SAMPLES) continue
        filled = 0
        take()
        last = sample
      }
    }
  }
}

/** An answer that is the same every time, and how often it comes. */
export interface CannedOptions {
  /** The answer, the same every time. */
  mp3: Uint8Array
  /** Sample rate of `mp3`, Hz. Default 16 000. */
  rate?: number
  /** One answer per this much audio received. */
  everyMs: number
  /** Audio before the first answer, so that many sessions do not answer at once. Default `everyMs`. */
  firstMs?: (session: ScriptedSession) => number
  /** Called as each answer is about to leave. */
  onAnswer?: (session: ScriptedSession) => void
}

/** Answers with the same mp3 per so much audio, without listening: for load. */
export function canned(options: CannedOptions): Answering {
  return session => {
    let startMs = 0
    let nextMs = options.firstMs?.(session) ?? options.everyMs
    let samples = 0
    return pcm => {
      samples += pcm.length
      for (const nowMs = durationMs(samples); nowMs >= nextMs; nextMs += options.everyMs) {
        options.onAnswer?.(session)
        session.say({ audio: options.mp3, rate: options.rate ?? SAMPLE_RATE, startMs, endMs: nextMs })
        startMs = nextMs
      }
    }
  }
}

const MP3_RATES: readonly Mp3Rate[] = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]

function rateOf(session: ScriptedSession): Mp3Rate {
  return MP3_RATES.find(rate => rate === session.parameters.receiveAudio?.sampleRate) ?? SAMPLE_RATE
}

function loudness(frame: Int16Array): number {
  let energy = 0
  for (const sample of frame) energy += sample * sample
  return Math.sqrt(energy / frame.length)
}

/** Changes of sign in `frame`, the one from the sample before it included. */
function crossingsOf(frame: Int16Array, before: number): number {
  let crossings = 0
  let last = before
  for (const sample of frame) {
    if (last < 0 !== sample < 0) crossings++
    last = sample
  }
  return crossings
}
