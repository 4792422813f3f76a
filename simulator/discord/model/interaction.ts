import { setTimer } from '../../../src/common/clock.ts'
import { type Json, numberIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import type { Channel } from './channel.ts'
import type { Member } from './member.ts'
import type { Message } from './message.ts'
import { type MessageDraft, readDraft } from './message-draft.ts'
import { type Choice, Reply, readChoices } from './reply.ts'
import type { WebhookTarget } from './webhook.ts'
import type { World } from './world.ts'

/** Reason why an interaction got no answer, as Discord's own client shows it. */
export type InteractionFailure =
  /** No response within 3 s, or a deferral without an answer: "The application did not respond". */
  | 'no-response'
  /** The command is not registered, or its options differ from the registered ones. */
  | 'unknown-command'
  | 'invalid-option'
  /** The command or the channel is hidden from this member. */
  | 'not-allowed'
  /** A button that does not exist or is disabled. */
  | 'unknown-component'
  /** The autocomplete response was invalid. */
  | 'no-choices'

export class InteractionFailed extends Error {
  readonly code: InteractionFailure

  constructor(code: InteractionFailure, message: string) {
    super(message)
    this.name = 'InteractionFailed'
    this.code = code
  }
}

/** Progress of an application's answer. */
export type InteractionState =
  | { status: 'waiting' }
  /** Deferred, or for a press, acknowledged. */
  | { status: 'deferred'; update: boolean }
  | { status: 'answered'; deferred: boolean; updated: boolean }
  /** No response within 3 s. */
  | { status: 'failed' }

/** Discord: Interaction Callback Type, by name. */
export type InteractionInput = 'reply' | 'defer' | 'update' | 'defer-update' | 'choices' | 'edit' | 'timeout'

/**
 *
 * waiting ──reply, update, choices──▶ answered
 *      │ └──defer, defer-update──▶ deferred ──edit──▶ answered
 *      └──timeout──▶ failed
 *
 * Undefined: no longer possible, which Discord answers with an error, or irrelevant.
 */
export function next(state: InteractionState, input: InteractionInput): InteractionState | undefined {
  switch (state.status) {
    case 'waiting':
      if (input === 'timeout') return { status: 'failed' }
      if (input === 'defer' || input === 'defer-update')
        return { status: 'deferred', update: input === 'defer-update' }
      if (input === 'edit') return undefined
      return { status: 'answered', deferred: false, updated: input === 'update' }
    case 'deferred':
      return input === 'edit' ? { status: 'answered', deferred: true, updated: state.update } : undefined
    case 'answered':
    case 'failed':
      return undefined
    default:
      return state satisfies never
  }
}

export interface InteractionOptions {
  readonly world: World
  readonly by: Member
  readonly channel: Channel
  readonly kind: 'command' | 'component' | 'autocomplete'
  /** The component's message. */
  readonly pressed?: Message
}

/** Discord: Receiving and Responding. */
const ANSWER_MS = 3_000
const TOKEN_MS = 900_000
const EPHEMERAL = 64

/** Callback types (Discord: Interaction Callback Type) and which kinds of interaction they fit. */
const CALLBACKS: Readonly<
  Record<number, { input: InteractionInput; kinds: readonly InteractionOptions['kind'][] }>
> = {
  4: { input: 'reply', kinds: ['command', 'component'] },
  5: { input: 'defer', kinds: ['command', 'component'] },
  6: { input: 'defer-update', kinds: ['component'] },
  7: { input: 'update', kinds: ['component'] },
  8: { input: 'choices', kinds: ['autocomplete'] },
}

/** An interaction with the application, until its token expires. */
export class Interaction implements WebhookTarget {
  readonly id: string
  readonly token: string
  readonly options: InteractionOptions
  readonly followUps: Message[] = []
  /** Resolves to the answer. Rejects with `InteractionFailed`. */
  readonly reply: Promise<Reply>
  /** Resolves to the choices of an autocomplete. Rejects with `InteractionFailed`. */
  readonly choices: Promise<readonly Choice[]>
  #state: InteractionState = { status: 'waiting' }
  #original: Message | undefined
  #acknowledgedAfterMs = 0
  readonly #startedAt: number
  /** Runs until the first answer, then until the deferred one. */
  #timer: Disposable
  readonly #settleReply: PromiseWithResolvers<Reply> = Promise.withResolvers()
  readonly #settleChoices: PromiseWithResolvers<readonly Choice[]> = Promise.withResolvers()

  constructor(options: InteractionOptions) {
    const { ids, clock } = options.world
    this.options = options
    this.id = ids.next()
    this.token = Buffer.from(`interaction:${this.id}:${ids.next()}`).toString('base64url')
    this.#startedAt = clock.now()
    this.reply = this.#settleReply.promise
    this.choices = this.#settleChoices.promise
    // Avoids unhandled rejections: only the promise that fits the kind is awaited.
    for (const promise of [this.reply, this.choices]) promise.catch(() => {})
    this.#timer = setTimer(clock, ANSWER_MS, () => this.#fail())
  }

  get state(): InteractionState {
    return this.#state
  }

  /** The answer, if there is one, even if it is still loading. */
  get original(): Message | undefined {
    return this.#original
  }

  /** True while follow-ups and edits are possible. */
  get open(): boolean {
    const acknowledged = this.#state.status === 'deferred' || this.#state.status === 'answered'
    return acknowledged && this.options.world.clock.now() - this.#startedAt < TOKEN_MS
  }

  /** The application's first response. Throws `ApiError`. */
  acknowledge(body: Json): void {
    const callback = CALLBACKS[numberIn(body, 'type') ?? 0]
    if (this.#state.status === 'failed') throw ApiError.of(10062)
    if (this.#state.status !== 'waiting') throw ApiError.of(40060)
    if (!callback?.kinds.includes(this.options.kind)) throw ApiError.of(50035)
    const { input } = callback
    if (input === 'choices') {
      const choices = readChoices(body.data)
      this.#go(input)
      return void this.#settleChoices.resolve(choices)
    }
    this.#answer(input, (body.data ?? {}) as Json)
  }

  /** Changes the answer or a follow-up, or sends the deferred answer. Throws `ApiError`. */
  edit(message: Message, draft: MessageDraft): void {
    this.options.world.chat.edit(message, draft)
    if (message === this.#original) this.#go('edit')
  }

  /** Posts a further message; the first one after a deferral is the answer. Throws `ApiError`. */
  post(draft: MessageDraft): Message {
    if (this.#original?.loading) {
      this.edit(this.#original, draft)
      return this.#original
    }
    const { world, channel, by } = this.options
    const ephemeral = (draft.flags & EPHEMERAL) !== 0
    const message = world.chat.post(channel, draft, {
      interaction: this.metadata,
      ...(ephemeral ? { ephemeralFor: by.user } : {}),
    })
    this.followUps.push(message)
    return message
  }

  /** The answer or a follow-up, by its id or `@original`. Throws `ApiError`. */
  message(id: string): Message {
    const all = this.#original ? [this.#original, ...this.followUps] : this.followUps
    const found = id === '@original' ? this.#original : all.find(message => message.id === id)
    if (!found || found.deleted) throw ApiError.of(10008)
    return found
  }

  delete(message: Message): void {
    this.options.world.chat.delete(message)
    if (message === this.#original) this.#go('edit')
  }

  /** Cancels all waiting. */
  stop(): void {
    this.#timer[Symbol.dispose]()
  }

  /** Discord: Message Interaction Metadata. */
  get metadata(): Json {
    const { by, kind } = this.options
    return {
      id: this.id,
      type: kind === 'component' ? 3 : 2,
      user: by.user.json,
      authorizing_integration_owners: { 0: by.guild.id },
    }
  }

  #answer(input: InteractionInput, data: Json): void {
    const { world, channel, by, pressed } = this.options
    if (input === 'update' || input === 'defer-update') {
      this.#original = pressed
      if (input === 'update' && pressed) world.chat.edit(pressed, readDraft(data))
      return void this.#go(input)
    }
    const draft = readDraft(data)
    const ephemeral = (draft.flags & EPHEMERAL) !== 0
    this.#original = world.chat.post(channel, draft, {
      interaction: this.metadata,
      loading: input === 'defer',
      ...(ephemeral ? { ephemeralFor: by.user } : {}),
    })
    this.#go(input)
  }

  #go(input: InteractionInput): void {
    const before = this.#state
    const state = next(before, input)
    if (!state) return
    this.#state = state
    this.stop()
    if (before.status === 'waiting') {
      this.#acknowledgedAfterMs = this.options.world.clock.now() - this.#startedAt
    }
    // A press that was only acknowledged has no other answer.
    const seen = state.status === 'deferred' && state.update
    if ((state.status === 'answered' || seen) && this.#original)
      this.#settleReply.resolve(
        new Reply({
          message: this.#original,
          deferred: state.status === 'deferred' || state.deferred,
          updated: state.status === 'deferred' ? state.update : state.updated,
          acknowledgedAfterMs: this.#acknowledgedAfterMs,
          followUps: this.followUps,
        }),
      )
    if (state.status === 'deferred' && !seen)
      this.#timer = setTimer(this.options.world.clock, TOKEN_MS, () => this.#settleReply.reject(noResponse()))
  }

  #fail(): void {
    this.#state = next(this.#state, 'timeout') ?? this.#state
    this.#settleReply.reject(noResponse())
    this.#settleChoices.reject(new InteractionFailed('no-choices', 'Loading options failed'))
  }
}

function noResponse(): InteractionFailed {
  return new InteractionFailed('no-response', 'The application did not respond')
}
