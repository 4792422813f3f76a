import { after } from '../../../common/clock.ts'
import type { PlacedCall } from './call-options.ts'
import type { GatherNoun, Prompt } from './gather-verb.ts'
import { type Gathered, KeyCollector } from './key-collector.ts'
import { Prompter } from './prompter.ts'
import type { Recording } from './recording.ts'
import { askWebhook } from './request.ts'
import { isLoopback, routeOf } from './route.ts'
import { soundOf } from './sound-file.ts'

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
    const arm = () => {
      timer?.[Symbol.dispose]()
      timer = after(this.#call.clock, noun.timeoutSeconds * 1000, over.resolve)
    }
    const stop = () => {
      prompting.abort()
      over.resolve()
    }
    this.#press = key => {
      prompting.abort()
      if (keys.press(key)) over.resolve()
      else arm()
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
    // Only local addresses are requested; other hosts are not part of the simulation, and nothing is played for them.
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
