import { z } from 'zod'
import { isLanguageId } from '../../common/language.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { KeptEntries, type KeptEntriesOptions } from '../../core/calls/kept-entries.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { RunningChannel, RunningChannels } from './contract.ts'

/** Downtime after which a channel is no longer resumed (ms): its members have given up. */
const RESUME_WITHIN_MS = 600_000
/** Interval at which entries are renewed without changes (ms). */
const RENEW_MS = 60_000

const id = z.string().regex(/^\d{1,20}$/)
const language = z.string().refine(isLanguageId)
const runningChannelSchema = z.object({
  guildId: id,
  channelId: id,
  textChannelId: id,
  output: z.union([z.literal('auto'), z.tuple([language]), z.tuple([language, language])]),
  captions: z.object({ style: z.enum(['embed', 'plain', 'webhook', 'off']), thread: z.boolean() }),
  voice: z.boolean(),
  paused: z.boolean().optional(),
})

/**
 * The Discord channels being interpreted, kept so that the next process, or the next node of a fleet with the bot, can resume them.
 * Contains only IDs of guilds and channels. A process deletes only channels that it has stored or read itself.
 */
export class DiscordChannels implements RunningChannels, Disposable {
  readonly #fleet: Fleet
  readonly #wallClock: WallClock
  readonly #log: Logger
  readonly #kept: KeptEntries<RunningChannel>
  /** Entries written here, by guild. */
  readonly #written = new Map<string, { readonly text: string; readonly at: number }>()

  constructor(fleet: Fleet, options: KeptEntriesOptions) {
    this.#fleet = fleet
    this.#wallClock = options.wallClock
    this.#log = options.log
    this.#kept = new KeptEntries(fleet, 'discord channels', runningChannelSchema, options)
  }

  /** Deletes expired entries from now on. Call it once. */
  start(): void {
    this.#kept.start()
  }

  async recent(): Promise<readonly RunningChannel[]> {
    try {
      const channels = Array.from((await this.#kept.all()).values())
      for (const channel of channels)
        this.#written.set(channel.guildId, { text: JSON.stringify(channel), at: Number.NEGATIVE_INFINITY })
      return channels
    } catch (error) {
      this.#log.warn(errorFields(error), 'running Discord channels cannot be read, no channel resumed')
      return []
    }
  }

  keep(channels: readonly RunningChannel[]): void {
    const now = this.#wallClock()
    const guilds = new Set(channels.map(({ guildId }) => guildId))
    for (const guildId of this.#written.keys())
      if (!guilds.has(guildId)) {
        this.#written.delete(guildId)
        this.#try(this.#kept.delete(this.#fleet.digest(guildId)))
      }
    for (const channel of channels) {
      const text = JSON.stringify(channel)
      const before = this.#written.get(channel.guildId)
      if (before?.text === text && now - before.at < RENEW_MS) continue
      this.#written.set(channel.guildId, { text, at: now })
      this.#try(this.#kept.put(this.#fleet.digest(channel.guildId), channel, now + RESUME_WITHIN_MS))
    }
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]()
  }

  /** A failed write is repeated by the next renewal. */
  #try(written: Promise<void>): void {
    written.catch((error: unknown) =>
      this.#log.warn(errorFields(error), 'the running Discord channels could not be stored'),
    )
  }
}
