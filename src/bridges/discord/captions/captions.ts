import { type Clock, setTimer } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Caption } from '../../../core/model/caption.ts'
import type { Observer, RelayEvents } from '../../../core/model/events.ts'
import type { CaptionStyle } from '../contract.ts'
import { type CaptionChat, captionMessages, escaped } from './caption-format.ts'
import { CaptionWriter } from './caption-writer.ts'
import type { Turn } from './turns.ts'
import { Turns } from './turns.ts'

/** Interval of the check for turns without further results (ms). */
const LOOK_MS = 1_000

export interface CaptionsOptions {
  readonly observer: Observer
  readonly room: string
  readonly chat: CaptionChat
  readonly style: CaptionStyle
  readonly clock: Clock
  readonly onNoAccess?: (code: number) => void
  /** Called when a speaker's microphone picks up the bot's voice. The name is escaped for a message. */
  readonly onEcho?: (speaker: string, name: string) => void
}

/** Writes the speech of a room into a text chat: one message per turn, edited while it grows. Owns its writer. */
export class Captions {
  /** Utterances recognized as an echo of the bot's own voice. */
  echoes = 0
  readonly #options: CaptionsOptions
  readonly #turns = new Turns()
  readonly #writer: CaptionWriter
  #watches: readonly Disposable[] = []
  /** Participants who opted out. */
  readonly #silenced = new Set<string>()
  #style: CaptionStyle
  #languages: readonly LanguageId[] | undefined
  #timer: Disposable | undefined

  constructor(options: CaptionsOptions) {
    const { chat, clock, style, onNoAccess } = options
    this.#options = options
    this.#style = style
    this.#writer = new CaptionWriter({ chat, clock, onNoAccess })
  }

  /** Writes the room's captions from now on. Call it once. */
  start(): void {
    const { observer, clock } = this.#options
    this.#watches = [
      observer.on('caption', caption => this.#take(caption)),
      observer.on('echo', event => this.#echo(event)),
    ]
    this.#timer = setTimer(clock, LOOK_MS, this.#look)
  }

  /** Versions never written. */
  get dropped(): number {
    return this.#writer.dropped
  }

  /** Limits captions to translations into these languages; undefined: all that exist. */
  show(languages: readonly LanguageId[] | undefined): void {
    this.#languages = languages
  }

  /** Written messages keep their style until their turn changes. */
  set style(style: CaptionStyle) {
    this.#style = style
  }

  /** Writes captions to `chat` from now on. */
  moveTo(chat: CaptionChat): void {
    this.#writer.moveTo(chat)
  }

  /** Stops writing this participant's turns and removes unfinished ones. */
  silence(speaker: string): void {
    this.#silenced.add(speaker)
    for (const { id, final } of this.#turns.forget(speaker))
      if (final) this.#writer.drop(id)
      else this.#writer.withdraw(id)
  }

  /** Writes the remaining final text, for at most `withinMs`. Idempotent. */
  close(withinMs: number): Promise<void> {
    for (const watch of this.#watches) watch[Symbol.dispose]()
    this.#timer?.[Symbol.dispose]()
    for (const turn of this.#turns.due(Number.POSITIVE_INFINITY)) this.#write(turn)
    return this.#writer.close(withinMs)
  }

  #take(caption: Caption): void {
    if (caption.room !== this.#options.room || this.#silenced.has(caption.speaker)) return
    const now = this.#options.clock.now()
    const turn = this.#turns.take(caption, now)
    if (turn) this.#write(turn)
  }

  #echo({ room, participant, name = '?', utterance, to }: RelayEvents['echo']): void {
    if (room !== this.#options.room) return
    this.#options.onEcho?.(participant, escaped(name))
    if (utterance === undefined || to === undefined) return
    this.echoes++
    // Its first words can already be captioned as the participant's own speech.
    const turn = this.#turns.takeBack({ speaker: participant, utterance, to })
    if (turn !== undefined) this.#writer.withdraw(turn)
  }

  #write(turn: Turn): void {
    if (this.#style === 'off') return
    const messages = captionMessages(turn, { style: this.#style, languages: this.#languages })
    this.#writer.want(turn.id, messages, turn.final)
  }

  readonly #look = (): void => {
    const { clock } = this.#options
    for (const turn of this.#turns.due(clock.now())) this.#write(turn)
    this.#timer = setTimer(clock, LOOK_MS, this.#look)
  }
}
