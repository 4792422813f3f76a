import { ServiceError, toServiceError } from '../errors.ts'
import { shown } from '../query.ts'
import type { SessionInput, SessionOutput } from './session.ts'

/** A text sent by a client. */
export interface TypedText {
  /** Number within the session. */
  readonly id: string
  /** Unchanged. */
  readonly text: string
}

/** Processes the texts of one namespace. */
export interface TextWork {
  /** Prepares the work; resolves to the payload of `start`. */
  open(): Promise<boolean | string>
  /**
   * Processes one text, up to its last event. Failures of a text are reported to the client; never rejects for them.
   */
  work(text: TypedText): Promise<void>
  /** Stops all work. Idempotent. */
  close(): void
}

export interface TextLimits {
  readonly maxTextLength: number
  readonly maxWaitingTexts: number
}

/** Holder of the key whose text is counted. */
export interface TextHolder {
  /** Throws a `ServiceError` when the quota is exceeded. */
  takeText(text: string): void
}

/** Input of `/translator` and `/tts`: texts, processed one after the other in order of arrival. */
export class TextIntake implements SessionInput {
  readonly #outlet: SessionOutput
  readonly #work: TextWork
  readonly #limits: TextLimits
  readonly #holder: TextHolder
  #line: TypedText[] = []
  #taken = 0
  #characters = 0
  #busy = false

  /** Takes ownership of `work` and closes it. */
  constructor(outlet: SessionOutput, work: TextWork, limits: TextLimits, holder: TextHolder) {
    this.#outlet = outlet
    this.#work = work
    this.#limits = limits
    this.#holder = holder
  }

  get busy(): boolean {
    return this.#busy
  }

  open(): Promise<boolean | string> {
    return this.#work.open()
  }

  take(payload: unknown): void {
    const { maxTextLength, maxWaitingTexts } = this.#limits
    const text = asText(payload, maxTextLength)
    if (this.#line.length >= maxWaitingTexts)
      throw new ServiceError(
        'backlog_full',
        `${this.#line.length} texts are already waiting, at most ${maxWaitingTexts} are allowed`,
      )
    this.#holder.takeText(text)
    this.#characters += text.length
    this.#line.push({ id: String(++this.#taken), text })
    if (!this.#busy) void this.#run()
  }

  async close(): Promise<void> {
    this.#line = []
    this.#work.close()
  }

  totals(): object {
    return { texts: this.#taken, characters: this.#characters }
  }

  async #run(): Promise<void> {
    this.#busy = true
    try {
      for (let next = this.#line.shift(); next; next = this.#line.shift()) {
        await this.#work.work(next)
        await this.#outlet.room()
      }
    } catch (error) {
      this.#outlet.fault(toServiceError(error))
    }
    this.#busy = false
  }
}

/** Returns the text of a payload if it is valid. Its content is never part of a description. */
function asText(payload: unknown, maxTextLength: number): string {
  if (typeof payload !== 'string')
    throw new ServiceError('not_text', `the text is ${shown(payload)}, allowed: a string`)
  if (payload.length > maxTextLength)
    throw new ServiceError(
      'text_too_long',
      `the text has ${payload.length} characters, at most ${maxTextLength} are allowed`,
    )
  if (!/[^\p{C}\s]/u.test(payload)) throw new ServiceError('text_empty', 'the text is blank')
  return payload
}
