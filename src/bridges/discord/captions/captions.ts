import { after, type Clock } from '../../../core/clock.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Caption, Observer, RelayEvents } from '../../../core/observer.ts'
import type { CaptionStyle } from '../channel-interpreter.ts'
import type { CaptionChat } from './caption-message.ts'
import { captionMessages } from './caption-text.ts'
import { CaptionWriter } from './caption-writer.ts'
import { escaped } from './escape.ts'
import type { Turn } from './turn.ts'
import { Turns } from './turns.ts'

/** Between two looks at turns that nothing more comes of (ms). */
const LOOK_MS = 1_000

export interface CaptionsParts {
  readonly observer: Observer
  readonly room: string
  readonly chat: CaptionChat
  readonly style: CaptionStyle
  readonly clock: Clock
  readonly onNoAccess?: (code: number) => void
  /** A speaker's microphone picks up what the bot says; their name was made harmless for a message. */
  readonly onEcho?: (speaker: string, name: string) => void
}

/** Writes what is said in a room into a text chat: one message for each turn, edited while it grows. Owns its writer. */
export class Captions {
  /** Utterances that were our own voice, heard again. */
  echoes = 0
  readonly #parts: CaptionsParts
  readonly #turns = new Turns()
  readonly #writer: CaptionWriter
  readonly #watches: readonly Disposable[]
  /** Participants who do not want to be listened to. */
  readonly #silenced = new Set<string>()
  #style: CaptionStyle
  #languages: readonly LanguageId[] | undefined
  #timer: Disposable

  constructor(parts: CaptionsParts) {
    const { observer, chat, clock, style, onNoAccess } = parts
    this.#parts = parts
    this.#style = style
    this.#writer = new CaptionWriter({ chat, clock, ...(onNoAccess ? { onNoAccess } : {}) })
    this.#watches = [
      observer.on('caption', caption => this.#take(caption)),
      observer.on('echo', event => this.#echo(event)),
    ]
    this.#timer = after(clock, LOOK_MS, this.#look)
  }

  /** Versions that were never written. */
  get dropped(): number {
    return this.#writer.dropped
  }

  /** Translations into these alone are written; undefined: all that are made. */
  show(languages: readonly LanguageId[] | undefined): void {
    this.#languages = languages
  }

  /** Messages that are there stay as they are until their turn changes. */
  set style(style: CaptionStyle) {
    this.#style = style
  }

  /** Captions go there from now on. */
  moveTo(chat: CaptionChat): void {
    this.#writer.moveTo(chat)
  }

  /** Nothing more of this participant is written, and what was not final yet is taken away. */
  silence(speaker: string): void {
    this.#silenced.add(speaker)
    for (const { id, final } of this.#turns.forget(speaker))
      if (final) this.#writer.drop(id)
      else this.#writer.withdraw(id)
  }

  /** Writes what is final and still waits, for `withinMs` at most. Idempotent. */
  close(withinMs: number): Promise<void> {
    for (const watch of this.#watches) watch[Symbol.dispose]()
    this.#timer[Symbol.dispose]()
    for (const turn of this.#turns.due(Number.POSITIVE_INFINITY)) this.#write(turn)
    return this.#writer.close(withinMs)
  }

  #take(caption: Caption): void {
    if (caption.room !== this.#parts.room || this.#silenced.has(caption.speaker)) return
    const now = this.#parts.clock.now()
    const turn = this.#turns.take(caption, now)
    if (turn) this.#write(turn)
  }

  #echo({ room, participant, name = '?', utterance, to }: RelayEvents['echo']): void {
    if (room !== this.#parts.room) return
    this.#parts.onEcho?.(participant, escaped(name))
    if (utterance === undefined || to === undefined) return
    this.echoes++
    // Its first words may have been taken for somebody's own.
    const turn = this.#turns.takeBack({ speaker: participant, utterance, to })
    if (turn !== undefined) this.#writer.withdraw(turn)
  }

  #write(turn: Turn): void {
    if (this.#style === 'off') return
    const messages = captionMessages(turn, { style: this.#style, languages: this.#languages })
    this.#writer.want(turn.id, messages, turn.final)
  }

  readonly #look = (): void => {
    const { clock } = this.#parts
    for (const turn of this.#turns.due(clock.now())) this.#write(turn)
    this.#timer = after(clock, LOOK_MS, this.#look)
  }
}
