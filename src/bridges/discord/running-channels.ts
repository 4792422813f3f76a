import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { isLanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import { isoTime, type WallClock } from '../../common/wall-clock.ts'
import { writeFileAtomic } from '../../storage/atomic-file.ts'
import type { RunningChannel, RunningChannels } from './contract.ts'
import type { ResumeSettings } from './settings.ts'

/** Interval at which the timestamp in the file is renewed without changes (ms). */
const RENEW_MS = 60_000
const CHANNELS_MOST = 1_000

const id = z.string().regex(/^\d{1,20}$/)
const language = z.string().refine(isLanguageId)
export const runningChannelSchema = z.object({
  guildId: id,
  channelId: id,
  textChannelId: id,
  output: z.union([z.literal('auto'), z.tuple([language]), z.tuple([language, language])]),
  captions: z.object({ style: z.enum(['embed', 'plain', 'webhook', 'off']), thread: z.boolean() }),
  voice: z.boolean(),
  paused: z.boolean().optional(),
})
const fileSchema = z.object({
  at: z.iso.datetime(),
  channels: z.array(runningChannelSchema).max(CHANNELS_MOST),
})

/**
 * Stores the Discord channels being interpreted in a file, so that the next process can resume them. The file contains
 * only IDs of guilds and channels, no user IDs. If it is missing, damaged or not writable, only resuming is lost.
 */
export class DiscordChannels implements RunningChannels, AsyncDisposable {
  readonly #settings: ResumeSettings
  readonly #wallClock: WallClock
  readonly #log: Logger
  #kept: string | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  #writing: Promise<void> = Promise.resolve()
  #next: string | undefined

  constructor(
    settings: ResumeSettings,
    { wallClock, log }: { readonly wallClock: WallClock; readonly log: Logger },
  ) {
    this.#settings = settings
    this.#wallClock = wallClock
    this.#log = log
  }

  recent(): readonly RunningChannel[] {
    const { file, withinMinutes } = this.#settings
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if (errorCode(error) !== 'ENOENT')
        this.#log.warn(
          { file, code: errorCode(error) },
          'the file of running Discord channels cannot be read',
        )
      return []
    }
    try {
      const { at, channels } = fileSchema.parse(JSON.parse(text))
      const ageMs = this.#wallClock() - Date.parse(at)
      this.#kept = JSON.stringify(channels)
      return Math.abs(ageMs) <= withinMinutes * 60_000 ? channels : []
    } catch {
      this.#kept = ''
      this.#log.warn({ file }, 'file of running Discord channels is damaged, no channel resumed')
      return []
    }
  }

  keep(channels: readonly RunningChannel[]): void {
    const kept = JSON.stringify(channels.slice(0, CHANNELS_MOST))
    const now = this.#wallClock()
    const renew = channels.length > 0 && now - this.#writtenAt >= RENEW_MS
    if (kept === (this.#kept ?? '[]') && !renew) return
    this.#kept = kept
    this.#writtenAt = now
    const before = this.#next
    this.#next = `{"at":"${isoTime(now)}","channels":${kept}}\n`
    // A write in progress finishes first; after it, only the newest state is written.
    if (before === undefined) this.#writing = this.#writing.then(() => this.#write())
  }

  /** Settles when everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    const { file } = this.#settings
    const text = this.#next!
    this.#next = undefined
    try {
      await writeFileAtomic(file, text)
    } catch (error) {
      // The next renewal retries.
      this.#log.warn(
        { file, code: errorCode(error) },
        'the file of running Discord channels cannot be written',
      )
    }
  }
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown'
}
