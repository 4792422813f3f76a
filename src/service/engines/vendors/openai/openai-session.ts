import { z } from 'zod'
import type { WallClock } from '../../../../common/wall-clock.ts'
import { SocketFault } from '../../wire/engine-socket.ts'
import type { LiveLink } from '../../wire/live-protocol.ts'

/** The sample rate of OpenAI's realtime sessions (Hz): any other is rejected. */
export const OPENAI_RATE = 24_000

const sessionEvent = z.object({
  type: z.enum([
    'session.created',
    'session.updated',
    'transcription_session.created',
    'transcription_session.updated',
  ]),
  session: z.object({ expires_at: z.number().nullish() }).nullish(),
})
const errorEvent = z.object({
  type: z.literal('error'),
  error: z.object({ type: z.string().nullish(), code: z.string().nullish() }),
})

/** Codes after which a new connection may succeed. Other errors of a request are faults of the settings. */
const PASSING = /^(session_expired|server_error|rate_limit|internal|timeout|overloaded)/
/** Errors that concern one message only. */
const HARMLESS = /^(input_audio_buffer_commit_empty|conversation_already_has_active_response)$/

/**
 * The part that OpenAI's realtime sessions have in common: the session is updated once it was created, is ready once
 * that was confirmed, and expires at a time that it announces.
 */
export class OpenAiSession {
  readonly #link: LiveLink
  readonly #wall: WallClock
  readonly #settings: object
  #ready = false

  /** `settings`: the `session` of `session.update`. */
  constructor(link: LiveLink, wall: WallClock, settings: object) {
    this.#link = link
    this.#wall = wall
    this.#settings = settings
  }

  /** Handles `message` if it concerns the session; returns false otherwise. */
  handled(message: unknown): boolean {
    const about = sessionEvent.safeParse(message)
    if (about.success) {
      this.#event(about.data)
      return true
    }
    const failed = errorEvent.safeParse(message)
    if (failed.success) this.#failed(failed.data.error)
    return failed.success
  }

  #event({ type, session }: z.infer<typeof sessionEvent>): void {
    const expires = session?.expires_at
    if (expires) this.#link.renewIn(expires * 1_000 - this.#wall())
    if (type.endsWith('.created')) this.#link.send({ type: 'session.update', session: this.#settings })
    else {
      this.#ready = true
      this.#link.ready()
    }
  }

  #failed({ type, code }: { type?: string | null | undefined; code?: string | null | undefined }): void {
    const name = code ?? type ?? 'unknown'
    if (HARMLESS.test(name)) return
    // Words of the provider's list only: a message can quote speech.
    const told = /^[a-z_]{1,40}$/.test(name) ? name : 'an error'
    const passing = PASSING.test(name) || (this.#ready && type === 'server_error')
    this.#link.fail(new SocketFault(`answered ${told}`, { passing }))
  }
}
