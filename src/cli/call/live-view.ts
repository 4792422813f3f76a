import { z } from 'zod'
import { sameLanguage } from '../../common/language.ts'
import type { Caption } from '../../core/model/caption.ts'
import type { ReceptionEvent } from '../../core/model/events.ts'
import type { Relay } from '../../core/room/relay.ts'
import { eventData } from '../../service/engines/wire/server-sent-events.ts'
import { meter, type Terminal, type TerminalText } from '../terminal.ts'

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
  readonly #relay: Relay
  readonly #terminal: Terminal
  #subscriptions: readonly Disposable[] = []
  readonly #captions: Caption[] = []
  readonly #latencies: number[] = []
  #begun = 0
  #heard = 0
  #dropped = 0
  /** Speakers and languages whose outage has been shown. */
  readonly #untranslated = new Set<string>()
  /** Bars of the participants who send audio, in the order in which they joined. */
  readonly #bars = new Map<string, Bar>()
  /** Participants with a new level since the bars were drawn. */
  readonly #fresh = new Set<string>()
  #partial = ''

  constructor(relay: Relay, terminal: Terminal) {
    this.#relay = relay
    this.#terminal = terminal
  }

  /** Displays what happens from now on. Call it once. */
  start(): void {
    const relay = this.#relay
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
        this.#terminal.line(
          dim(
            `       ${(latencyMs / 1000).toFixed(2)} s from the end of speech to the first translated frame`,
          ),
        )
      }),
      relay.observer.on('reception', event => this.#received(event)),
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

  /** Printed once for each speaker and language, and once when it is over. */
  #received({ speaker, to = '', listener, missed }: ReceptionEvent): void {
    const who = `${speaker} ${to}`
    if (missed === this.#untranslated.has(who)) return
    if (missed) {
      this.#untranslated.add(who)
      const instead = speaker === listener ? '' : ': the original voice is played'
      this.#terminal.line({ text: `        translation unavailable (${to})${instead}`, color: 'yellow' })
    } else {
      this.#untranslated.delete(who)
      this.#terminal.line({ text: `        translation restored (${to})`, color: 'green' })
    }
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
      .flatMap(({ language, level }): TerminalText[] => [
        dim(`${language} `),
        { text: meter(level, BAR_WIDTH), color: 'green' },
        '  ',
      ])
    this.#terminal.status(...pieces, this.#partial ? `… ${this.#partial}` : '')
  }
}

function dim(text: string): TerminalText {
  return { text, color: 'dim' }
}

/** The used part of a bridge’s language list (`GET /talk/languages`). */
const offerSchema = z.object({
  languages: z.array(
    z.object({ id: z.string(), heard: z.boolean(), spoken: z.boolean(), into: z.array(z.string()) }),
  ),
})

const PATIENCE_MS = 3_000

/**
 * Returns why the bridge at `server` cannot translate between the languages, with the languages it supports. Returns
 * undefined if it can, or if it does not report them (if its browser bridge is off). Never rejects.
 */
export async function bridgeLanguageProblem(
  server: string,
  from: string,
  to: string,
): Promise<string | undefined> {
  const offer = await offered(server)
  if (!offer) return undefined
  const sources = offer.filter(({ heard }) => heard)
  const source = sources.find(({ id }) => id === from)
  if (!source)
    return `the bridge does not recognize ${from}; --from can be: ${choices(sources.map(({ id }) => id))}`
  const spoken = new Set(offer.filter(each => each.spoken).map(({ id }) => id))
  const targets = source.into.filter(id => spoken.has(id))
  if (targets.includes(to) || sameLanguage(from, to)) return undefined
  return `the bridge does not translate ${from} into ${to}; --to can be: ${choices(targets)}`
}

async function offered(server: string) {
  try {
    const response = await fetch(`${server}/talk/languages`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const offer = offerSchema.safeParse(await response.json())
    return offer.success ? offer.data.languages : undefined
  } catch {
    return undefined
  }
}

/** Lists the languages that an option can have. */
export function choices(languages: readonly string[]): string {
  return languages.join(', ') || 'none, because an engine is missing (run dragoman doctor)'
}

/** A final caption of the call. */
export interface CallCaption {
  readonly from: string
  readonly to: string
  readonly text?: string | undefined
  readonly translation?: string | undefined
}

/** The room opens with the first participant, shortly after the call is answered. */
const ATTEMPTS = 20
const ATTEMPT_MS = 100
/** Maximum number of captions kept. */
const MOST_CAPTIONS = 1_000

/** Follows a room’s captions through the control API and prints them when they are final. */
export class CallCaptions implements Disposable {
  readonly all: CallCaption[] = []
  readonly #stop = new AbortController()
  readonly #terminal: Terminal

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /**
   * Reads until the room ends or this is disposed. Captions are optional: the call continues without them. Never
   * rejects.
   */
  async follow(server: string, key: string, room: string): Promise<void> {
    const { signal } = this.#stop
    const url = `${server}/v1/rooms/${encodeURIComponent(room)}/captions?final=true`
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal })
        if (response.ok && response.body) {
          for await (const data of eventData(response.body)) this.#shown(data)
          return
        }
        await response.body?.cancel()
        if (response.status !== 404) return
        await new Promise(resolve => setTimeout(resolve, ATTEMPT_MS))
      }
    } catch {
      // The bridge is gone, or the call has ended.
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  #shown(data: string): void {
    const event = JSON.parse(data) as Partial<CallCaption> & { final?: boolean; system?: boolean }
    const { from, to, text, translation, final, system } = event
    if (!final || system || from === undefined || to === undefined || this.all.length >= MOST_CAPTIONS) return
    this.all.push({ from, to, text, translation })
    if (text !== undefined) this.#terminal.line({ text: from, color: 'dim' }, `  ${text}`)
    if (translation !== undefined) this.#terminal.line({ text: to, color: 'cyan' }, `  ${translation}`)
  }
}
