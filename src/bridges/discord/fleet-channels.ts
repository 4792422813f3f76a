import { errorFields, type Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { KeptEntries, type KeptEntriesOptions } from '../../core/calls/kept-entries.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { RunningChannel, RunningChannels } from './contract.ts'
import { runningChannelSchema } from './running-channels.ts'
import type { ResumeSettings } from './settings.ts'

/** Interval at which entries are renewed without changes (ms). */
const RENEW_MS = 60_000

/**
 * The Discord channels being interpreted, kept by a fleet, so that the next node with the bot can resume them. A node
 * deletes only channels that it has stored or read itself.
 */
export class FleetChannels implements RunningChannels, Disposable {
  readonly #fleet: Fleet
  readonly #withinMs: number
  readonly #wallClock: WallClock
  readonly #log: Logger
  readonly #kept: KeptEntries<RunningChannel>
  /** Entries written by this node, by guild. */
  readonly #written = new Map<string, { readonly text: string; readonly at: number }>()

  constructor(
    fleet: Fleet,
    { withinMinutes }: Pick<ResumeSettings, 'withinMinutes'>,
    options: KeptEntriesOptions,
  ) {
    this.#fleet = fleet
    this.#withinMs = withinMinutes * 60_000
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
      this.#try(this.#kept.put(this.#fleet.digest(channel.guildId), channel, now + this.#withinMs))
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
