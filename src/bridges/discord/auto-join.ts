import { type Client, Events, type VoiceBasedChannel, type VoiceState } from 'discord.js'
import { backoffMs } from '../../common/backoff.ts'
import { type Clock, setTimer } from '../../common/clock.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { ChannelEnd, ChannelInterpreter, Interpreters } from './contract.ts'
import type { VoiceRegister } from './voice-register.ts'

/** Delay before another attempt after a failure. */
const RETRY = { firstMs: 15_000, maxMs: 600_000, jitter: 0.2 }

export interface AutoJoinOptions {
  readonly client: Client
  readonly register: VoiceRegister
  readonly interpreters: Pick<Interpreters, 'of'>
  /** IDs of the voice channels. */
  readonly channels: readonly string[]
  /** Starts interpreting a channel. May reject. */
  readonly join: (channel: VoiceBasedChannel) => Promise<ChannelInterpreter>
  readonly clock: Clock
  readonly log: Logger
}

/** State of a channel without an interpreter. */
interface Waiting {
  /** It is being joined or interpreted. */
  busy: boolean
  /** Someone ended it: it is joined again only after everyone has left. */
  declined: boolean
  /** Another part of the program has the bot's voice in the guild, which was logged. Its end is a voice event. */
  occupied: boolean
  failures: number
  retry: Disposable | undefined
}

/**
 * Interprets channels while people are in them. An interpretation that people end is not started again before the
 * channel has been empty.
 */
export class AutoJoin implements Disposable {
  readonly #options: AutoJoinOptions
  readonly #channels: ReadonlyMap<string, Waiting>
  #closed = false

  constructor(options: AutoJoinOptions) {
    this.#options = options
    this.#channels = new Map(
      options.channels.map(id => [
        id,
        { busy: false, declined: false, occupied: false, failures: 0, retry: undefined },
      ]),
    )
  }

  /** Joins channels with people in them, and follows the others from now on. Call it once, after the login. */
  start(): void {
    if (this.#closed || this.#channels.size === 0) return
    const { client } = this.#options
    client.on(Events.VoiceStateUpdate, this.#moved)
    client.on(Events.GuildAvailable, this.#lookEverywhere)
    this.#lookEverywhere()
  }

  [Symbol.dispose](): void {
    this.#closed = true
    this.#options.client.off(Events.VoiceStateUpdate, this.#moved)
    this.#options.client.off(Events.GuildAvailable, this.#lookEverywhere)
    for (const { retry } of this.#channels.values()) retry?.[Symbol.dispose]()
  }

  /** Follows an interpretation to its end, also if a member started it. */
  follow({ channelId, ended }: Pick<ChannelInterpreter, 'channelId' | 'ended'>): void {
    const waiting = this.#channels.get(channelId)
    if (!waiting) return
    waiting.busy = true
    void ended.then(end => {
      waiting.busy = false
      waiting.declined = isDeclined(end)
      if (isFailure(end)) this.#retry(channelId, waiting)
      else this.#look(channelId)
    })
  }

  readonly #lookEverywhere = (): void => {
    for (const id of this.#channels.keys()) this.#look(id)
  }

  /** In a guild, one channel can be interpreted: when the bot leaves one, another one can be next. */
  readonly #moved = (_before: VoiceState, { guild }: VoiceState): void => {
    for (const id of this.#channels.keys()) if (guild.channels.cache.has(id)) this.#look(id)
  }

  #look(id: string): void {
    const { client, interpreters, register, log } = this.#options
    const waiting = this.#channels.get(id)
    const channel = client.channels.cache.get(id)
    if (this.#closed || !waiting || !channel?.isVoiceBased()) return
    const { guildId } = channel
    if (!register.hasPeople(guildId, id)) {
      waiting.declined = false
      waiting.failures = 0
      waiting.retry?.[Symbol.dispose]()
      waiting.retry = undefined
      return
    }
    if (waiting.busy || waiting.declined || waiting.retry || interpreters.of(guildId)) return
    const occupation = register.occupation(guildId)
    if (occupation) {
      if (!waiting.occupied)
        log.info({ guildId, channelId: id, bot: occupation.channelId }, 'channel not joined: voice is in use')
      waiting.occupied = true
      return
    }
    waiting.occupied = false
    waiting.busy = true
    void this.#interpret(channel, waiting)
  }

  async #interpret(channel: VoiceBasedChannel, waiting: Waiting): Promise<void> {
    const { join, log } = this.#options
    const { id: channelId, guildId } = channel
    try {
      await join(channel)
      waiting.failures = 0
    } catch (error) {
      waiting.busy = false
      log.warn({ guildId, channelId, ...errorFields(error) }, 'channel not joined')
      this.#retry(channelId, waiting)
    }
  }

  #retry(id: string, waiting: Waiting): void {
    if (this.#closed) return
    waiting.retry = setTimer(this.#options.clock, backoffMs(++waiting.failures, RETRY), () => {
      waiting.retry = undefined
      this.#look(id)
    })
  }
}

function isDeclined({ kind }: ChannelEnd): boolean {
  return kind === 'stopped' || kind === 'kicked'
}

function isFailure({ kind }: ChannelEnd): boolean {
  return kind === 'refused' || kind === 'unreachable'
}
