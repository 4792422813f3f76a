import type { App } from '../../app/app.ts'
import type { LanguageId } from '../../common/language.ts'
import type { LagPoint } from '../../simulator/lag-plot.ts'

/** One thing that was said, and when (ms from the beginning of the conversation). */
export interface Minute {
  readonly atMs: number
  readonly name: string
  /** Their participant. */
  readonly speaker: string
  readonly from: LanguageId
  readonly to: LanguageId
  readonly text: string
  readonly translation: string
  /** The words are the script's: nothing here recognises the language. */
  readonly scripted: boolean
  /** From the end of speech to the first translated frame; undefined when none was played. */
  latencyMs: number | undefined
}

/** Keeps the minutes of a conversation: who said what, when, and how late it was heard. */
export class Minutes implements Disposable {
  readonly said: Minute[] = []
  /** How late translations were heard while it went on, by the listener's language. */
  readonly lag = new Map<string, LagPoint[]>()
  heard = 0
  readonly #utterances = new Map<string, Minute>()
  readonly #subscriptions: readonly Disposable[]

  /** `scripted`: languages whose words are the script's. */
  constructor({ relay }: App, scripted: readonly LanguageId[]) {
    const beganAt = performance.now()
    const now = () => Math.round(performance.now() - beganAt)
    this.#subscriptions = [
      relay.observer.on('caption', caption => {
        if (!caption.final || this.#utterances.has(caption.utterance)) return
        const { speaker, name = '', from, to, text = '', translation = '' } = caption
        const about = { atMs: now(), name, speaker, from, to, text, translation }
        const minute: Minute = { ...about, scripted: scripted.includes(from), latencyMs: undefined }
        this.#utterances.set(caption.utterance, minute)
        this.said.push(minute)
      }),
      relay.observer.on('utterance', ({ stage, utterance, latencyMs }) => {
        if (stage === 'heard') this.heard++
        const minute = this.#utterances.get(utterance)
        if (!minute) return
        if (stage === 'begun' && latencyMs !== undefined) minute.latencyMs = Math.round(latencyMs)
        this.#plot(minute, now())
      }),
      // Every second while it plays.
      relay.observer.on('lag', ({ speaker, lagMs }) => {
        const minute = this.said.findLast(each => each.speaker === speaker)
        if (minute) this.#plot(minute, now(), lagMs)
      }),
    ]
  }

  /** A translation is as late as it began, and by what it has fallen behind since. */
  #plot({ to, latencyMs }: Minute, atMs: number, behindMs = 0): void {
    if (latencyMs === undefined) return
    this.lag.set(to, [...(this.lag.get(to) ?? []), { atMs, lagMs: latencyMs + Math.round(behindMs) }])
  }

  get latenciesMs(): number[] {
    return this.said.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a - b)
  }

  /** To be read by people. */
  get text(): string {
    const lines = this.said.map(({ atMs, name, from, to, text, translation, scripted, latencyMs }) =>
      [
        `${clock(atMs)}  ${name} (${from}${scripted ? ', scripted words' : ''})`,
        `       ${text}`,
        `       ${to}: ${translation}${latencyMs === undefined ? '' : `  [heard ${(latencyMs / 1000).toFixed(2)} s later]`}`,
      ].join('\n'),
    )
    return `${lines.join('\n\n')}\n`
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
  }
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
