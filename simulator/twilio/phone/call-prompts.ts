import { type Clock, setTimer } from '../../../src/common/clock.ts'
import { audioKind } from '../../../src/transcode/container/audio-kind.ts'
import { decodeMulaw, encodeMulaw } from '../../../src/transcode/g711.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { decodeSpeech } from '../../../src/transcode/speech-decoder.ts'
import { mono, readWav } from '../../../src/transcode/wav.ts'
import type { PlacedCall } from './call-options.ts'
import { isAudible, PHONE_RATE, type Recording } from './recording.ts'
import { askWebhook, isLoopback, routeOf } from './request.ts'
import { type Gathered, KeyCollector } from './script.ts'
import type { GatherNoun, Prompt } from './twiml.ts'
import { PACKET_BYTES, PACKET_MS, toLine } from './voice.ts'

/** Audio that Twilio itself plays to the participant between streams, in real time. */
class Prompter {
  readonly #clock: Clock
  readonly #recording: Recording | undefined

  constructor(clock: Clock, recording: Recording | undefined) {
    this.#clock = clock
    this.#recording = recording
  }

  /** Plays `pcm` (8 kHz mono). Settles when it has been played or `signal` aborts it; never rejects. */
  async play(pcm: Int16Array, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const began = this.#clock.now()
    for (let at = 0; at < pcm.length; at += PACKET_BYTES) {
      const mulaw = Buffer.alloc(Math.min(PACKET_BYTES, pcm.length - at))
      encodeMulaw(pcm.subarray(at, at + mulaw.length), mulaw)
      const due = began + (at / PACKET_BYTES) * PACKET_MS
      const payload = mulaw.toString('base64')
      this.#recording?.add(due, mulaw.length, payload, isAudible(payload))
    }
    await this.wait((pcm.length * 1000) / PHONE_RATE, signal)
    if (signal.aborted) this.#recording?.cut(this.#clock.now())
  }

  /** Waits for `ms`, or until `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const timer = setTimer(this.#clock, ms, () => {
        signal.removeEventListener('abort', abort)
        resolve()
      })
      const abort = () => {
        timer[Symbol.dispose]()
        resolve()
      }
      signal.addEventListener('abort', abort, { once: true })
    })
  }
}

const WAV = ['audio/wav', 'audio/wave', 'audio/x-wav']
const MP3 = ['audio/mpeg', 'audio/mp3']
const MULAW = ['audio/ulaw', 'audio/basic']
/** Maximum length of an mp3: an hour. */
const MOST_SECONDS = 3_600

/**
 * Decodes the `bytes` of a file for `<Play>` to 8 kHz mono, or returns the error that Twilio would log (12300, 12400).
 * Never throws.
 */
export async function soundOf(
  bytes: Uint8Array,
  contentType: string,
): Promise<Int16Array | { code: number; why: string }> {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  try {
    if (WAV.includes(type)) {
      const wav = readWav(bytes)
      return toLine(mono(wav), wav.rate)
    }
    if (MP3.includes(type)) return toLine(await mp3(bytes), SAMPLE_RATE)
    if (MULAW.includes(type)) return mulaw(bytes)
    return { code: 12300, why: `content type ${contentType || 'missing'} is no audio` }
  } catch (error) {
    return { code: 12400, why: error instanceof Error ? error.message : String(error) }
  }
}

function mulaw(bytes: Uint8Array): Int16Array {
  const pcm = new Int16Array(bytes.length)
  decodeMulaw(bytes, pcm)
  return pcm
}

async function mp3(bytes: Uint8Array): Promise<Int16Array> {
  if (audioKind(bytes) !== 'mp3') throw new RangeError('no audio in the mp3')
  return await decodeSpeech(bytes, MOST_SECONDS)
}

/** `<Play loop="0">` repeats until the call ends; Twilio stops at this number. */
const MOST_LOOPS = 1000
const MAX_SOUND_BYTES = 8 * 1024 * 1024

/** Everything that Twilio says, plays and gathers outside of streams. The call's host owns it. */
export class CallPrompts {
  /** The texts of `<Say>`, in the order in which they started. */
  readonly said: string[] = []
  readonly #call: PlacedCall
  readonly #prompter: Prompter
  readonly #error: (code: number, text: string) => void
  #press: ((key: string) => void) | undefined

  constructor(
    call: PlacedCall,
    recording: Recording | undefined,
    error: (code: number, text: string) => void,
  ) {
    this.#call = call
    this.#prompter = new Prompter(call.clock, recording)
    this.#error = error
  }

  /** Whether `<Gather>` waits for keys. */
  get asking(): boolean {
    return this.#press !== undefined
  }

  /** Passes a key to a waiting `<Gather>`. */
  press(key: string): void {
    this.#press?.(key)
  }

  /** Says, plays or waits; `signal` aborts it. Never rejects. `base`: the URL of the document. */
  async perform(prompt: Prompt, base: string, signal: AbortSignal): Promise<void> {
    switch (prompt.verb) {
      case 'Say':
        return this.#say(prompt.text, prompt.language, signal)
      case 'Play':
        return this.#play(prompt.url, prompt.loop, base, signal)
      case 'Pause':
        return this.#prompter.wait(prompt.seconds * 1000, signal)
      default:
        prompt satisfies never
    }
  }

  /** Gathers keys: the first key stops the prompts, and the timeout restarts after each key or prompt. */
  async gather(noun: GatherNoun, base: string, signal: AbortSignal): Promise<Gathered> {
    const keys = new KeyCollector(noun)
    const prompting = new AbortController()
    const over = Promise.withResolvers<void>()
    let timer: Disposable | undefined
    const arm = (seconds = noun.timeoutSeconds) => {
      timer?.[Symbol.dispose]()
      timer = setTimer(this.#call.clock, seconds * 1000, over.resolve)
    }
    const stop = () => {
      prompting.abort()
      over.resolve()
    }
    this.#press = key => {
      prompting.abort()
      if (keys.press(key)) over.resolve()
      else arm(noun.keySeconds)
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    for (const prompt of noun.prompts)
      if (!prompting.signal.aborted) await this.perform(prompt, base, prompting.signal)
    if (!prompting.signal.aborted) arm()
    await over.promise
    timer?.[Symbol.dispose]()
    signal.removeEventListener('abort', stop)
    this.#press = undefined
    return keys.gathered
  }

  async #say(text: string, language: string | undefined, signal: AbortSignal): Promise<void> {
    this.said.push(text)
    const pcm = await this.#call.speak?.(text, language)
    if (pcm) await this.#prompter.play(pcm, signal)
  }

  async #play(url: string, loop: number, base: string, signal: AbortSignal): Promise<void> {
    const whole = URL.canParse(url, base || undefined) ? new URL(url, base || undefined).href : url
    const route = routeOf(whole, this.#call)
    if (!route) return this.#error(11100, `${url} is not a URL`)
    // Only local addresses are requested; other hosts are not part of the simulation, and are silent.
    if (!isLoopback(route)) return
    const { clock, authToken } = this.#call
    const answer = await askWebhook({
      ...{ url: whole, route, clock, authToken, signal },
      method: 'GET',
      fields: {},
      maxBytes: MAX_SOUND_BYTES,
    })
    if (signal.aborted) return
    if (!answer.ok) return this.#error(answer.code, answer.why)
    const pcm = await soundOf(answer.body, answer.type)
    if (!(pcm instanceof Int16Array)) return this.#error(pcm.code, pcm.why)
    for (let time = 0; time < (loop || MOST_LOOPS) && !signal.aborted; time++)
      await this.#prompter.play(pcm, signal)
  }
}
