import type { Caption, SessionEvent } from '../core/observer.ts'
import type { Relay } from '../core/relay.ts'
import { meter, type Terminal } from './terminal.ts'

/** What was seen while it ran. */
export interface LiveSummary {
  /** Final captions. */
  readonly captions: readonly Caption[]
  /** End of speech to first translated frame of each utterance played (ms). */
  readonly latenciesMs: readonly number[]
  /** Utterances begun, and those the far side confirmed. */
  readonly begun: number
  readonly heard: number
  readonly dropped: number
}

/** Shows a relay at work: who speaks how loud, captions as they grow, latency of each utterance. */
export class LiveView implements Disposable {
  readonly #terminal: Terminal
  readonly #subscriptions: Disposable[]
  readonly #captions: Caption[] = []
  readonly #latencies: number[] = []
  #begun = 0
  #heard = 0
  #dropped = 0
  /** Speakers and languages whose translation is away, which was told. */
  readonly #away = new Set<string>()
  #level = 0
  #partial = ''

  constructor(relay: Relay, terminal: Terminal) {
    this.#terminal = terminal
    this.#subscriptions = [
      relay.observer.on('level', ({ level }) => {
        this.#level = level
        this.#show()
      }),
      relay.observer.on('caption', caption => this.#caption(caption)),
      relay.observer.on('utterance', ({ stage, latencyMs }) => {
        if (stage === 'heard') this.#heard++
        if (stage === 'dropped') this.#dropped++
        if (stage !== 'begun') return
        this.#begun++
        if (latencyMs === undefined) return
        this.#latencies.push(latencyMs)
        terminal.line(
          `       ${(latencyMs / 1000).toFixed(2)} s from the end of speech to the first translated frame`,
        )
      }),
      relay.observer.on('session', event => this.#session(event)),
    ]
  }

  get summary(): LiveSummary {
    return {
      captions: this.#captions,
      latenciesMs: this.#latencies,
      begun: this.#begun,
      heard: this.#heard,
      dropped: this.#dropped,
    }
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    this.#terminal.status('')
  }

  /** Told once when the service goes, however often it is tried again, and once when it is back. */
  #session({ status, speaker, to, reason }: SessionEvent): void {
    const who = `${speaker} ${to}`
    const told = this.#away.has(who)
    if (!told && (status === 'waiting' || reason?.kind === 'failed'))
      this.#terminal.line(`       service away (${to}): the original voice passes`)
    if (told && status === 'live') this.#terminal.line(`       service back (${to})`)
    if (status === 'waiting') this.#away.add(who)
    else if (status !== 'opening') this.#away.delete(who)
  }

  #caption(caption: Caption): void {
    if (!caption.final) {
      this.#partial = caption.text ?? ''
      this.#show()
      return
    }
    this.#partial = ''
    this.#captions.push(caption)
    this.#terminal.line()
    this.#terminal.line(`${caption.from}  ${caption.text ?? ''}`)
    if (caption.translation !== undefined) this.#terminal.line(`${caption.to}  ${caption.translation}`)
  }

  #show(): void {
    this.#terminal.status(`${meter(this.#level)}  ${this.#partial ? `… ${this.#partial}` : ''}`)
  }
}
