import type { Intake } from './intake.ts'
import type { Outlet } from './outlet.ts'
import { shown } from './query.ts'
import { ServiceError, told } from './service-error.ts'

/** One text that a client sent. */
export interface Text {
  /** Number within the session. */
  readonly id: string
  /** As it was sent. */
  readonly text: string
}

/** What becomes of texts: the business of one namespace. */
export interface TextWork {
  /** Gets ready; answers the payload of `start`. */
  open(): Promise<boolean | string>
  /** Does one text, to its last event. A text that cannot be done is told to the client: never rejects for it. */
  work(text: Text): Promise<void>
  /** Nothing is worked on from now on. Idempotent. */
  close(): void
}

export interface TextLimits {
  readonly maxTextLength: number
  readonly maxWaitingTexts: number
}

/** Whoever's key it is: their text is counted. */
export interface TextHolder {
  /** Throws a `ServiceError` when it is more than they have left. */
  takeText(text: string): void
}

/** Texts, one after the other in the order they came: what `/translator` and `/tts` take in. */
export class TextIntake implements Intake {
  readonly #outlet: Outlet
  readonly #work: TextWork
  readonly #limits: TextLimits
  readonly #holder: TextHolder
  #line: Text[] = []
  #taken = 0
  #characters = 0
  #busy = false

  /** Closes `work` when it is closed itself. */
  constructor(outlet: Outlet, work: TextWork, limits: TextLimits, holder: TextHolder) {
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
        `${this.#line.length} texts wait already, allowed are ${maxWaitingTexts}`,
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
      this.#outlet.fault(told(error))
    }
    this.#busy = false
  }
}

/** The text in a payload, if it is one that may be worked on. Its content goes into no description. */
function asText(payload: unknown, maxTextLength: number): string {
  if (typeof payload !== 'string')
    throw new ServiceError('not_text', `the text is ${shown(payload)}, allowed: a string`)
  if (payload.length > maxTextLength)
    throw new ServiceError(
      'text_too_long',
      `the text has ${payload.length} characters, allowed are ${maxTextLength}`,
    )
  if (!/[^\p{C}\s]/u.test(payload)) throw new ServiceError('text_empty', 'the text has nothing but blanks')
  return payload
}
