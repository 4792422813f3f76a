import { createMp3Encoder } from 'wasm-media-encoders'
import { BoundedMap } from '../../src/common/bounded-map.ts'
import { rms } from '../../src/transcode/level.ts'
import { concat, FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE } from '../../src/transcode/pcm.ts'
import type { ScriptedSession } from './scripted-session.ts'

/** Level from which a frame counts as speech, of 32 768. */
const SPEECH_LEVEL = 300
/** Silence that ends an utterance (ms). */
const SILENCE_MS = 300
/** Maximum length of an utterance (ms). */
const LONGEST_MS = 10_000

/**
 * Answers every utterance with its own audio as mp3 (64 kbit/s), so that a test can compare what arrives at the other
 * end.
 */
export function echoes(): Answering {
  return (session, maker) => {
    let frame = new Int16Array(FRAME_SAMPLES)
    let filled = 0
    let frames = 0
    let spoken: Int16Array[] = []
    let beganMs = 0
    let loudMs = 0

    function take(): void {
      const nowMs = ++frames * FRAME_MS
      const loud = frame.reduce((sum, sample) => sum + Math.abs(sample), 0) / frame.length >= SPEECH_LEVEL
      if (loud && spoken.length === 0) beganMs = nowMs - FRAME_MS
      if (loud || spoken.length > 0) spoken.push(frame)
      if (loud) loudMs = nowMs
      if (spoken.length === 0 || nowMs - loudMs < SILENCE_MS) return
      const pcm = concat(spoken.slice(0, (loudMs - beganMs) / FRAME_MS))
      const audio = maker.encode(pcm, 16_000, 64)
      spoken = []
      session.say({ audio, pcm, rate: 16_000, startMs: beganMs, endMs: loudMs })
    }

    return pcm => {
      for (const sample of pcm) {
        frame[filled++] = sample
        if (filled < FRAME_SAMPLES) continue
        take()
        frame = new Int16Array(FRAME_SAMPLES)
        filled = 0
      }
    }
  }
}

/**
 * Answers of a scripted service: called once per session; the result is called with the audio of every accepted
 * fragment.
 */
export type Answering = (session: ScriptedSession, maker: Mp3Maker) => (pcm: Int16Array) => void

/** Text answers of a scripted service: called with every accepted text. */
export type TextAnswering = (session: ScriptedSession, text: string, maker: Mp3Maker) => void

/** Duration of a spoken character (ms). */
const CHARACTER_MS = 50

/** Answers every text: with a translation, or on `/tts` with a tone as long as the text. */
export const texts: TextAnswering = (session, text, maker) => {
  if (session.namespace !== '/tts') return void session.say({ text })
  const rate = rateOf(session)
  const audio = maker.tone(toneOf(session.to), Math.max(1, text.length) * CHARACTER_MS, rate)
  session.say({ text, audio, rate })
}

/** Detection of utterances, and the tone that answers them. */
export interface ToneOptions {
  /**
   * Frequency of the answer (Hz); `heardHz` is the estimated frequency of the speaker's own tone. Default:
   * `toneOf(to)`.
   */
  hz?: (to: string, heardHz: number) => number
  /** Silence that ends an utterance (ms). Default 300. */
  silenceMs?: number
  /** Sends one answer per this much audio (ms), silent or not, instead of detecting utterances. */
  everyMs?: number
  /** Sends a partial result after every this much speech (ms) if the session requested partials. Default 500. */
  partialMs?: number
}

/** Sends no answers; the test speaks through `session.say` and `session.emit`. */
export const silence: Answering = () => () => {}

/** Detects utterances by their energy and answers each with a tone as long as the speech. */
export function tones(options: ToneOptions = {}): Answering {
  const { silenceMs = SILENCE_MS, everyMs, partialMs = 500 } = options
  return (session, maker) => {
    const frame = new Int16Array(FRAME_SAMPLES)
    let filled = 0
    let frames = 0
    let last = 0
    let open: { startMs: number; loudUntilMs: number; crossings: number; partials: number } | undefined

    function finish(startMs: number, endMs: number, crossings: number): void {
      const heardHz = Math.round((crossings * 1000) / (2 * (endMs - startMs)) / 10) * 10
      const hz = options.hz ? options.hz(session.to, heardHz) : toneOf(session.to)
      const rate = rateOf(session)
      const spoken = session.to
        ? { audio: maker.tone(hz, endMs - startMs, rate), pcm: tone(hz, endMs - startMs), rate }
        : {}
      open = undefined
      session.say({ ...spoken, startMs, endMs })
    }

    function take(): void {
      const endMs = ++frames * 20
      const loud = everyMs !== undefined || rms(frame) >= SPEECH_LEVEL
      if (loud) open ??= { startMs: endMs - 20, loudUntilMs: endMs, crossings: 0, partials: 0 }
      if (!open) return
      if (loud) {
        open.loudUntilMs = endMs
        open.crossings += crossingsOf(frame, last)
      }
      const spokenMs = open.loudUntilMs - open.startMs
      const over =
        everyMs === undefined
          ? spokenMs >= LONGEST_MS || endMs - open.loudUntilMs >= silenceMs
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

const MP3_RATES: readonly Mp3Rate[] = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]

function rateOf(session: ScriptedSession): Mp3Rate {
  return MP3_RATES.find(rate => rate === session.parameters.receiveAudio?.sampleRate) ?? SAMPLE_RATE
}

/** Number of sign changes in `frame`, including the one from the sample before it. */
function crossingsOf(frame: Int16Array, before: number): number {
  let crossings = 0
  let last = before
  for (const sample of frame) {
    if (last < 0 !== sample < 0) crossings++
    last = sample
  }
  return crossings
}

/** Sample rates of mp3. */
export type Mp3Rate = 8000 | 11025 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000

const PEAK = 8000
const FADE_MS = 10

/** Returns the frequency that represents a language: 400–3100 Hz, constant, and different for different languages. */
export function toneOf(languageId: string): number {
  const index = (languageId.charCodeAt(0) - 97) * 26 + (languageId.charCodeAt(1) - 97)
  return 400 + 4 * ((((index * 253) % 676) + 676) % 676)
}

/** Returns a tone of `hz` for `ms`, faded at both ends to avoid clicks. */
export function tone(hz: number, ms: number, rate: number = SAMPLE_RATE, peak = PEAK): Int16Array {
  const pcm = new Int16Array(Math.round((ms * rate) / 1000))
  const fade = Math.max(1, Math.min(pcm.length / 2, (FADE_MS * rate) / 1000))
  for (let i = 0; i < pcm.length; i++) {
    const gain = Math.min(1, (i + 1) / fade, (pcm.length - i) / fade)
    pcm[i] = Math.round(peak * gain * Math.sin((2 * Math.PI * hz * i) / rate))
  }
  return pcm
}

/** Tones as mp3, by frequency, length and rate, for all makers of the process: encoding one takes 1 % of its length. */
const encodedTones = new BoundedMap<string, Uint8Array>(500)

/** Encodes mp3 for simulated services: mono, constant bit rate, one encoder, with tones cached. */
export class Mp3Maker {
  readonly #encoder: Awaited<ReturnType<typeof createMp3Encoder>>

  private constructor(encoder: Awaited<ReturnType<typeof createMp3Encoder>>) {
    this.#encoder = encoder
  }

  static async create(): Promise<Mp3Maker> {
    return new Mp3Maker(await createMp3Encoder())
  }

  /**
   * Encodes `pcm` of `rate` Hz as mp3: 32 kbit/s up to 24 kHz, 64 above, unless `kbps` is set. The caller owns the
   * result.
   */
  encode(pcm: Int16Array, rate: Mp3Rate = SAMPLE_RATE, kbps?: 32 | 48 | 64 | 128 | 320): Uint8Array {
    const bitrate = kbps ?? (rate <= 24_000 ? 32 : 64)
    this.#encoder.configure({ sampleRate: rate, channels: 1, outputSampleRate: rate, bitrate })
    const samples = new Float32Array(pcm.length)
    for (let at = 0; at < pcm.length; at++) samples[at] = pcm[at]! / 32_768
    const body = this.#encoder.encode([samples]).slice()
    const tail = this.#encoder.finalize()
    const mp3 = new Uint8Array(body.length + tail.length)
    mp3.set(body)
    mp3.set(tail, body.length)
    return mp3
  }

  /** Returns a tone of `hz` for `ms` as mp3. The result is shared between callers: never write into it. */
  tone(hz: number, ms: number, rate: Mp3Rate = SAMPLE_RATE): Uint8Array {
    const key = `${hz}/${ms}/${rate}`
    let mp3 = encodedTones.get(key)
    if (!mp3) {
      mp3 = this.encode(tone(hz, ms, rate), rate)
      encodedTones.set(key, mp3)
    }
    return mp3
  }
}
