import type { Caption, SessionEvent } from '../../core/model/events.ts'
import type { Relay } from '../../core/room/relay.ts'
import { meter, type Terminal, type Text } from '../terminal.ts'

/** Figures collected while it ran. */
export interface LiveSummary {
  /** Final captions. */
  readonly captions: readonly Caption[]
  /** End of speech to first translated frame of each utterance played (ms). */
  readonly latenciesMs: readonly number[]
  /** Utterances started, and those confirmed by the peer. */
  readonly begun: number
  readonly heard: number
  readonly dropped: number
}

/** Maximum number of bars in a line. */
const BARS = 2
const BAR_WIDTH = 16

interface Bar {
  readonly language: string
  level: number
}

/** Displays a running relay: a level for each participant, captions as they grow, and the latency of each utterance. */
export class LiveView implements Disposable {
  readonly #terminal: Terminal
  readonly #subscriptions: Disposable[]
  readonly #captions: Caption[] = []
  readonly #latencies: number[] = []
  #begun = 0
  #heard = 0
  #dropped = 0
  /** Speakers and languages whose outage has been shown. */
  readonly #unavailable = new Set<string>()
  /** Bars of the participants who send audio, in the order in which they joined. */
  readonly #bars = new Map<string, Bar>()
  /** Participants with a new level since the bars were drawn. */
  readonly #fresh = new Set<string>()
  #partial = ''

  constructor(relay: Relay, terminal: Terminal) {
    this.#terminal = terminal
    this.#subscriptions = [
      relay.observer.on('left', ({ participant }) => {
        this.#bars.delete(participant)
        this.#fresh.delete(participant)
        this.#show()
      }),
      relay.observer.on('level', ({ room, participant, level }) => {
        const bar = this.#bars.get(participant)
        if (bar) bar.level = level
        // A participant who only listens sends silence and needs no bar.
        else if (level > 0) {
          const language = relay.rooms.get(room)?.participants.get(participant)?.state.speaks ?? ''
          this.#bars.set(participant, { language, level })
        }
        this.#levelled(participant)
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
          dim(
            `       ${(latencyMs / 1000).toFixed(2)} s from the end of speech to the first translated frame`,
          ),
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

  /** Printed once when the service fails, regardless of retries, and once when it recovers. */
  #session({ status, speaker, to, reason }: SessionEvent): void {
    const who = `${speaker} ${to}`
    const told = this.#unavailable.has(who)
    if (!told && (status === 'waiting' || reason?.kind === 'failed'))
      this.#terminal.line({
        text: `        translation unavailable (${to}): the original voice is played`,
        color: 'yellow',
      })
    if (told && status === 'live')
      this.#terminal.line({ text: `        translation restored (${to})`, color: 'green' })
    if (status === 'waiting') this.#unavailable.add(who)
    else if (status !== 'opening') this.#unavailable.delete(who)
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
    this.#terminal.line(dim(caption.from), `  ${caption.text ?? ''}`)
    if (caption.translation !== undefined)
      this.#terminal.line({ text: caption.to, color: 'cyan' }, `  ${caption.translation}`)
  }

  /** Draws the levels of all participants at once. */
  #levelled(participant: string): void {
    if (this.#fresh.has(participant)) this.#fresh.clear()
    this.#fresh.add(participant)
    if (this.#fresh.size === 1) this.#show()
  }

  #show(): void {
    const bars = [...this.#bars.values()]
    // Above the maximum, the loudest are shown, each in its own position.
    const shown = new Set(bars.toSorted((a, b) => b.level - a.level).slice(0, BARS))
    const pieces = bars
      .filter(bar => shown.has(bar))
      .flatMap(({ language, level }): Text[] => [
        dim(`${language} `),
        { text: meter(level, BAR_WIDTH), color: 'green' },
        '  ',
      ])
    this.#terminal.status(...pieces, this.#partial ? `… ${this.#partial}` : '')
  }
}

function dim(text: string): Text {
  return { text, color: 'dim' }
}
