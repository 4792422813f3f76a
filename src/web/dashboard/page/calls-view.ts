import { element, made } from '../../../pages/page/dom.ts'
import type { SimulatedCallView } from '../protocol.ts'
import { type Api, troubleOf } from './api.ts'
import { SOUND_RATE } from './figures.ts'
import { duration, say } from './format.ts'

/** Audio buffered against network jitter (s). */
const LEAD_S = 0.25
/** Above this buffer, audio is skipped to catch up (s). */
const MOST_S = 1.2

let shared: AudioContext | undefined

/** One context for all phones, at the phone’s sample rate; the browser resamples it. */
function context(): AudioContext {
  shared ??= new AudioContext({ sampleRate: SOUND_RATE })
  void shared.resume()
  return shared
}

export interface ListenOptions {
  readonly api: Api
  readonly call: string
  readonly phone: number
  /** −1 (left) to 1 (right). */
  readonly pan: number
  /** Volume, 0 to 1, several times a second. */
  readonly onLevel: (level: number) => void
  /** The call has ended or the connection broke. Not called after `stop`. */
  readonly onEnd: () => void
}

/**
 * Plays live what a simulated phone hears. Created in a click handler, because browsers require a user action before
 * playing.
 */
class PhoneListener {
  readonly #options: ListenOptions
  readonly #abort = new AbortController()
  readonly #audio = context()
  readonly #out: StereoPannerNode
  /** Time of the next sample (s of the audio clock). */
  #due = 0
  #odd: number | undefined

  constructor(options: ListenOptions) {
    this.#options = options
    this.#out = new StereoPannerNode(this.#audio, { pan: options.pan })
    this.#out.connect(this.#audio.destination)
    void this.#run()
  }

  stop(): void {
    this.#abort.abort()
    this.#out.disconnect()
  }

  async #run(): Promise<void> {
    const { api, call, phone, onEnd } = this.#options
    try {
      const path = `/dashboard/calls/${encodeURIComponent(call)}/phones/${phone}/sound`
      const { body } = await api.open('GET', path, undefined, this.#abort.signal)
      const reader = body?.getReader()
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
        if (done || !value) break
        this.#play(value)
      }
    } catch {
      // Hung up, stopped or broken: playback ends in any case.
    }
    if (!this.#abort.signal.aborted) onEnd()
  }

  #play(bytes: Uint8Array): void {
    const whole = this.#whole(bytes)
    const samples = new Float32Array(whole.length >> 1)
    const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength)
    let loudest = 0
    for (let at = 0; at < samples.length; at++) {
      const sample = view.getInt16(at * 2, true) / 32_768
      samples[at] = sample
      if (Math.abs(sample) > loudest) loudest = Math.abs(sample)
    }
    this.#options.onLevel(loudest)
    if (samples.length === 0) return
    const now = this.#audio.currentTime
    if (this.#due < now + 0.02) this.#due = now + LEAD_S
    if (this.#due > now + MOST_S) return
    const buffer = this.#audio.createBuffer(1, samples.length, SOUND_RATE)
    buffer.copyToChannel(samples, 0)
    const source = new AudioBufferSourceNode(this.#audio, { buffer })
    source.connect(this.#out)
    source.start(this.#due)
    this.#due += buffer.duration
  }

  /** Chunks from the network can end within a sample. */
  #whole(bytes: Uint8Array): Uint8Array {
    const odd = this.#odd
    const all = odd === undefined ? bytes : Uint8Array.of(odd, ...bytes)
    this.#odd = all.length % 2 === 1 ? all.at(-1) : undefined
    return all.subarray(0, all.length & ~1)
  }
}

/**
 * Maximum number of phones played at once: browsers allow six connections to a server, and the page needs some itself.
 */
const MOST_HEARD = 2
/** Stop functions of those, oldest first. */
const heard: (() => void)[] = []

/** The simulated calls in progress, with their phones to listen to. */
export class CallsView {
  readonly #list = element('calls', HTMLElement)
  readonly #items = new Map<string, CallItem>()
  readonly #api: () => Api

  constructor(api: () => Api) {
    this.#api = api
  }

  /** `at`: server time. */
  show(calls: readonly SimulatedCallView[], at: number): void {
    for (const [id, item] of this.#items)
      if (!calls.some(call => call.id === id)) {
        item.close()
        this.#items.delete(id)
      }
    for (const call of calls) {
      const item = this.#items.get(call.id) ?? new CallItem(call, this.#api)
      if (!this.#items.has(call.id)) this.#list.append(item.element)
      this.#items.set(call.id, item)
      item.show(call, at)
    }
  }
}

class CallItem {
  readonly element = made('li')
  readonly #id: string
  readonly #api: () => Api
  readonly #left = made('span', '', 'faint', 'figure')
  readonly #told = made('p', '', 'bad')
  readonly #listeners: (PhoneListener | undefined)[] = []
  readonly #stops: (() => void)[] = []

  constructor({ id, phones }: SimulatedCallView, api: () => Api) {
    this.#id = id
    this.#api = api
    const head = made('div', '', 'row')
    const hangUp = made('button', 'Hang up', 'danger', 'small')
    hangUp.type = 'button'
    hangUp.setAttribute('aria-label', `Hang up ${id}`)
    hangUp.addEventListener('click', () => void this.#hangUp())
    head.append(made('b', id), this.#left)
    this.#told.setAttribute('role', 'alert')
    const actions = made('div', '', 'row')
    actions.append(...phones.map((_, phone) => this.#phone(phone, phones.length)), hangUp)
    this.element.append(head, actions, this.#told)
  }

  show({ endsAt }: SimulatedCallView, at: number): void {
    say(this.#left, `${duration(endsAt - at)} left`)
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.element.remove()
  }

  #phone(phone: number, count: number): HTMLElement {
    const row = made('div', '', 'row')
    const who = count === 1 ? 'the phone' : phone === 0 ? 'the first phone' : 'the second phone'
    const button = made('button', `Listen to ${who}`, 'small')
    const level = made('span', '', 'level')
    button.type = 'button'
    button.setAttribute('aria-pressed', 'false')
    const stop = () => {
      this.#listeners[phone]?.stop()
      stopped()
    }
    const stopped = () => {
      if (heard.includes(stop)) heard.splice(heard.indexOf(stop), 1)
      this.#listeners[phone] = undefined
      button.setAttribute('aria-pressed', 'false')
      level.style.setProperty('--level', '0')
    }
    this.#stops[phone] = stop
    button.addEventListener('click', () => {
      if (this.#listeners[phone]) {
        stop()
        return
      }
      while (heard.length >= MOST_HEARD) heard[0]!()
      heard.push(stop)
      button.setAttribute('aria-pressed', 'true')
      this.#listeners[phone] = new PhoneListener({
        ...{ api: this.#api(), call: this.#id, phone },
        // Two phones are panned left and right.
        pan: count === 1 ? 0 : phone === 0 ? -0.6 : 0.6,
        onLevel: loud => level.style.setProperty('--level', String(Math.round(Math.sqrt(loud) * 100))),
        onEnd: stopped,
      })
    })
    row.append(button, level)
    return row
  }

  async #hangUp(): Promise<void> {
    try {
      await this.#api().ask('DELETE', `/dashboard/calls/${encodeURIComponent(this.#id)}`)
    } catch (error) {
      say(this.#told, troubleOf(error))
    }
  }
}
