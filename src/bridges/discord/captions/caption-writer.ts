import { backoffMs } from '../../../common/backoff.ts'
import { type Clock, setTimer } from '../../../common/clock.ts'
import { SlidingWindow } from '../../../common/rate-limit.ts'
import { type CaptionChat, type CaptionMessage, escaped, NAME_MOST, type Written } from './caption-format.ts'

/** Maximum length of a message (Discord: Create Message). */
const CONTENT_MOST = 2_000

/** The next request for the messages of a turn. */
export type Step =
  | { readonly kind: 'send'; readonly message: CaptionMessage }
  | { readonly kind: 'edit'; readonly at: number; readonly id: string; readonly message: CaptionMessage }
  | { readonly kind: 'remove'; readonly id: string }

/** Written and desired messages of one turn, or of several finished turns that share a message. */
class CaptionEntry {
  /** The newest version is final. */
  final = false
  /** Failed attempts to write the newest version. */
  tries = 0
  /** No more of it is written. */
  dead = false
  /** Desired messages by turn, in order. */
  readonly #turns = new Map<number, readonly CaptionMessage[]>()
  #wanted: readonly CaptionMessage[] = []
  #withdrawn = false
  #written: { readonly id: string; readonly message: CaptionMessage }[] = []

  constructor(turn: number) {
    this.#turns.set(turn, [])
  }

  /** The turns that this entry covers. */
  get turns(): readonly number[] {
    return [...this.#turns.keys()]
  }

  /** At least one message is visible. */
  get created(): boolean {
    return this.#written.length > 0
  }

  want(turn: number, messages: readonly CaptionMessage[], final: boolean): void {
    const joined = this.#joined(new Map(this.#turns).set(turn, messages))
    // If a turn that shares its message outgrows it, the written version stays.
    if (!joined) return
    this.#turns.set(turn, messages)
    this.#to(joined, final)
  }

  /** Removes the turn and its messages. */
  withdraw(turn: number): void {
    this.#turns.delete(turn)
    this.#to(this.#joined(this.#turns) ?? this.#wanted, true)
    this.#withdrawn = this.#turns.size === 0
  }

  /** Stops writing this turn. */
  drop(turn: number): void {
    if (this.#turns.size === 1) this.dead = true
    else if (!this.created) this.withdraw(turn)
  }

  /**
   * Moves the turns of `later` into this entry's message. Returns false, without changes, if one of the two is not
   * final or already visible, or if the message would be too long.
   */
  absorb(later: CaptionEntry): boolean {
    const both = new Map([...this.#turns, ...later.#turns])
    const joined = this.#absorbable && later.#absorbable && this.#joined(both)
    if (!joined) return false
    for (const [turn, messages] of later.#turns) this.#turns.set(turn, messages)
    this.#to(joined, true)
    return true
  }

  get #absorbable(): boolean {
    return this.final && !this.created && !this.dead && this.#wanted.length === 1
  }

  #to(messages: readonly CaptionMessage[], final: boolean): void {
    this.#withdrawn = false
    this.#wanted = messages
    this.final = final
    this.tries = 0
  }

  /** A single turn unchanged; several as one message, if they fit: under the name of their speaker, if they share it. */
  #joined(turns: ReadonlyMap<number, readonly CaptionMessage[]>): readonly CaptionMessage[] | undefined {
    if (turns.size <= 1) return [...turns.values()][0] ?? []
    const messages = [...turns.values()].flat()
    const speaker = messages[0]?.speaker
    const alone = speaker && messages.every(each => each.speaker?.participant === speaker.participant)
    const content = messages.map(alone ? each => each.content : textOf).join('\n')
    // The name of the speaker is in the text if the bot itself has to write.
    const most = alone ? CONTENT_MOST - NAME_MOST : CONTENT_MOST
    return content.length <= most ? [{ content, speaker: alone ? speaker : undefined }] : undefined
  }

  /** Returns the next request, or undefined if everything is written. */
  get step(): Step | undefined {
    if (this.dead) return undefined
    for (const [at, message] of this.#wanted.entries()) {
      const written = this.#written[at]
      if (!written) return { kind: 'send', message }
      if (!same(written.message, message)) return { kind: 'edit', at, id: written.id, message }
    }
    const surplus = this.#written[this.#wanted.length]
    const needless = this.#withdrawn || this.#wanted.length > 0
    return surplus && needless ? { kind: 'remove', id: surplus.id } : undefined
  }

  done(step: Step, id: string): void {
    this.tries = 0
    if (step.kind === 'send') this.#written.push({ id, message: step.message })
    else if (step.kind === 'edit') this.#written[step.at] = { id: step.id, message: step.message }
    else this.#written = this.#written.filter(written => written.id !== step.id)
  }

  /** Abandons the newest version; newer ones are still written. */
  skip(): void {
    this.#withdrawn = false
    this.#wanted = this.#written.map(({ message }) => message)
  }

  /** Leaves the written messages unchanged; the final version goes into new ones. */
  leave(): void {
    this.#written = []
  }
}

function textOf({ content, embed, speaker }: CaptionMessage): string {
  if (embed) return `**${escaped(embed.author)}:** ${embed.description}`
  return speaker ? `**${escaped(speaker.name)}:** ${content}` : content
}

function same(a: CaptionMessage, b: CaptionMessage): boolean {
  return (
    a.content === b.content &&
    a.embed?.author === b.embed?.author &&
    a.embed?.description === b.embed?.description &&
    a.embed?.color === b.embed?.color
  )
}

/**
 * Discord accepts 5 new messages and 5 edits in 5 s per channel (observed by users, discord-api-docs#20). The window is
 * slightly longer, because the clocks differ (ms).
 */
const REQUESTS_MOST = 5
const WINDOW_MS = 5_100
/** Minimum interval between two requests for text that can still change (ms). */
const PARTIAL_EVERY_MS = 1_200
/** Requests reserved for final text. */
const SPARE = 1
/** Maximum number of messages waiting for a request. */
const WAITING_MOST = 40
/** Maximum number of turns whose messages are tracked. */
const KNOWN_MOST = 100
/** Above this many waiting messages, a turn is first written when it is final, and finished turns share messages. */
const BUSY = 3
const TRIES_MOST = 4
const RETRY = { firstMs: 1_000, maxMs: 8_000, jitter: 0 }
/** Pause before retrying a chat that denied access (ms). */
const NO_ACCESS_MS = 30_000

function sendsOf({ sends }: CaptionChat): SlidingWindow {
  return new SlidingWindow(sends?.most ?? REQUESTS_MOST, sends?.windowMs ?? WINDOW_MS)
}

export interface CaptionWriterOptions {
  readonly chat: CaptionChat
  readonly clock: Clock
  /** Called each time the chat denies access. */
  readonly onNoAccess?: (code: number) => void
}

/**
 * Keeps the messages of turns up to date, one request at a time and within Discord's limits. Final text is always
 * written. Of text that can still change, only the newest version is written, and only while the limits leave room. If
 * turns finish faster than Discord accepts messages, several finished turns share one message.
 */
export class CaptionWriter {
  /** Versions never written, because a newer one replaced them or the limits left no room. */
  dropped = 0
  readonly #clock: Clock
  readonly #onNoAccess: (code: number) => void
  #sends: SlidingWindow
  readonly #edits = new SlidingWindow(REQUESTS_MOST, WINDOW_MS)
  #chat: CaptionChat
  /** Entries by turn, in order. Turns that share a message share the entry. */
  #entries = new Map<number, CaptionEntry>()
  /** The entry of the request in progress. */
  #writing: CaptionEntry | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #pausedUntil = Number.NEGATIVE_INFINITY
  #timer: Disposable | undefined
  #closing: { readonly settle: () => void; readonly ended: Promise<void> } | undefined
  #closed = false

  constructor({ chat, clock, onNoAccess = () => {} }: CaptionWriterOptions) {
    this.#chat = chat
    this.#sends = sendsOf(chat)
    this.#clock = clock
    this.#onNoAccess = onNoAccess
  }

  /** Number of turns with unwritten changes. */
  get waiting(): number {
    return this.#waiting().length
  }

  /** Sets the desired messages of turn `turn`. */
  want(turn: number, messages: readonly CaptionMessage[], final: boolean): void {
    if (this.#closed) return
    let entry = this.#entries.get(turn)
    if (!entry) {
      if (messages.length === 0) return
      entry = new CaptionEntry(turn)
      this.#entries.set(turn, entry)
    } else if (entry.step && !this.#writing) this.dropped++
    entry.want(turn, messages, final)
    this.#makeRoom()
    this.#pump()
  }

  /** Stops writing this turn. */
  drop(turn: number): void {
    this.#entries.get(turn)?.drop(turn)
  }

  /** Withdraws this turn and removes its messages. */
  withdraw(turn: number): void {
    const entry = this.#entries.get(turn)
    if (!entry || this.#closed) return
    entry.withdraw(turn)
    this.#pump()
  }

  /** Writes captions to `chat` from now on. Messages elsewhere stay unchanged. */
  moveTo(chat: CaptionChat): void {
    this.#chat = chat
    this.#sends = sendsOf(chat)
    const waiting = new Set(this.#waiting().filter(entry => entry.final))
    for (const entry of waiting) entry.leave()
    this.#entries = new Map([...this.#entries].filter(([, entry]) => waiting.has(entry)))
    this.#pausedUntil = Number.NEGATIVE_INFINITY
    this.#pump()
  }

  /** Writes the remaining final text, for at most `withinMs`, then stops. Idempotent. */
  close(withinMs: number): Promise<void> {
    if (!this.#closing) {
      const { promise: ended, resolve: settle } = Promise.withResolvers<void>()
      this.#closing = { ended, settle }
      const timer = setTimer(this.#clock, withinMs, () => this.#end())
      void ended.then(() => timer[Symbol.dispose]())
      this.#pump()
    }
    return this.#closing.ended
  }

  #end(): void {
    this.#closed = true
    this.#timer?.[Symbol.dispose]()
    this.#entries.clear()
    this.#closing?.settle()
  }

  #waiting(): CaptionEntry[] {
    return Array.from(new Set(this.#entries.values())).filter(entry => entry.step !== undefined)
  }

  #makeRoom(): void {
    const waiting = this.#waiting()
    if (waiting.length > WAITING_MOST) {
      const partial = waiting.find(entry => !entry.final)
      if (partial || !waiting.some((entry, at) => this.#share(entry, waiting[at + 1]))) {
        const least = partial ?? waiting[0]!
        least.skip()
        this.dropped += least.turns.length
      }
    }
    for (const [turn, entry] of this.#entries) {
      if (this.#entries.size <= KNOWN_MOST) break
      if (!entry.step) this.#entries.delete(turn)
    }
  }

  /** Moves `later` into the message of `first`, if possible. */
  #share(first: CaptionEntry, later: CaptionEntry | undefined): boolean {
    if (!later || first === this.#writing || later === this.#writing || !first.absorb(later)) return false
    for (const turn of later.turns) this.#entries.set(turn, first)
    return true
  }

  /** Returns the entry to write next: final or new ones first, oldest first, then changed ones. */
  #next(now: number): CaptionEntry | undefined {
    const waiting = this.#waiting()
    const finals = waiting.filter(entry => entry.final)
    if (this.#closing) return finals[0]
    const begins = waiting.find(entry => !entry.created && (entry.final || waiting.length <= BUSY))
    const edited = finals.find(entry => entry.created)
    if (!begins || !edited) return begins ?? edited ?? waiting.find(entry => entry.created)
    // New messages and edits have separate limits, so neither waits for the other.
    const dueAt = (entry: CaptionEntry) => this.#dueAt(entry, entry.step!, now)
    return dueAt(edited) <= dueAt(begins) ? edited : begins
  }

  /** Above the `BUSY` threshold, moves the finished turns after `entry` into its message, as many as fit. */
  #gather(entry: CaptionEntry): void {
    const unwritten = this.#waiting().filter(each => each.final && !each.created)
    if (unwritten.length <= BUSY && !(this.#closing && unwritten.length > 1)) return
    const at = unwritten.indexOf(entry)
    if (at < 0) return
    for (const later of unwritten.slice(at + 1)) if (!this.#share(entry, later)) break
  }

  /** Earliest time to write `entry` (clock ms). */
  #dueAt(entry: CaptionEntry, step: Step, now: number): number {
    const freeAt = this.#window(step).freeAt(now, entry.final ? 0 : SPARE)
    return Math.max(freeAt, this.#pausedUntil, entry.final ? now : this.#lastAt + PARTIAL_EVERY_MS)
  }

  #window({ kind }: Step): SlidingWindow {
    return kind === 'send' ? this.#sends : this.#edits
  }

  #pump(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    if (this.#writing || this.#closed) return
    const now = this.#clock.now()
    const entry = this.#next(now)
    if (!entry?.step) {
      if (this.#closing) this.#end()
      return
    }
    const dueAt = this.#dueAt(entry, entry.step, now)
    if (dueAt > now) {
      this.#timer = this.#clock.at(dueAt, () => this.#pump())
      return
    }
    this.#gather(entry)
    const step = entry.step
    this.#window(step).take(now)
    this.#lastAt = now
    this.#writing = entry
    void this.#do(this.#chat, step).then(written => this.#did(entry, step, written))
  }

  #do(chat: CaptionChat, step: Step): Promise<Written> {
    if (step.kind === 'send') return chat.send(step.message)
    if (step.kind === 'edit') return chat.edit(step.id, step.message)
    return chat.remove(step.id)
  }

  #did(entry: CaptionEntry, step: Step, written: Written): void {
    this.#writing = undefined
    const now = this.#clock.now()
    switch (written.kind) {
      case 'written':
        entry.done(step, written.id)
        break
      case 'message-gone':
        // A user deleted it on purpose, so it is not written again.
        entry.dead = true
        break
      case 'message-old':
        entry.leave()
        if (!entry.final) for (const turn of entry.turns) entry.want(turn, [], false)
        break
      case 'no-access':
        for (const each of this.#waiting()) if (!each.final) each.skip()
        this.#pausedUntil = now + NO_ACCESS_MS
        this.#onNoAccess(written.code)
        break
      case 'limited':
        this.#pausedUntil = now + written.retryAfterMs
        break
      case 'failed':
        this.#failed(entry, now)
        break
      default:
        written satisfies never
    }
    this.#pump()
  }

  #failed(entry: CaptionEntry, now: number): void {
    entry.tries++
    if (entry.final && entry.tries < TRIES_MOST) this.#pausedUntil = now + backoffMs(entry.tries, RETRY)
    else {
      entry.skip()
      this.dropped += entry.turns.length
    }
  }
}
