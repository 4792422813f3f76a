import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { RunningChannel, RunningChannels } from '../bridges/discord/channel-interpreter.ts'
import { isLanguageId } from '../core/languages.ts'
import type { Log } from '../core/log.ts'
import { isoTime, type WallClock } from '../core/wall-clock.ts'
import { writeWhole } from '../files/whole-file.ts'

/** Without a change the time in the file is renewed this often (ms). */
const RENEW_MS = 60_000
const CHANNELS_MOST = 1_000

const id = z.string().regex(/^\d{1,20}$/)
const language = z.string().refine(isLanguageId)
const fileSchema = z.object({
  at: z.iso.datetime(),
  channels: z
    .array(
      z.object({
        guildId: id,
        channelId: id,
        textChannelId: id,
        output: z.union([z.literal('auto'), z.tuple([language]), z.tuple([language, language])]),
        captions: z.object({ style: z.enum(['embed', 'plain', 'off']), thread: z.boolean() }),
        voice: z.boolean(),
      }),
    )
    .max(CHANNELS_MOST),
})

export interface DiscordChannelsSettings {
  readonly file: string
  /** A file older than this is of no use. */
  readonly withinMinutes: number
}

/**
 * Which Discord channels are being interpreted, in a file, so that the next process can go on with them. It holds ids of
 * guilds and channels, and nobody's. A file that is missing, damaged or cannot be written costs that alone.
 */
export class DiscordChannels implements RunningChannels, AsyncDisposable {
  readonly #settings: DiscordChannelsSettings
  readonly #wallClock: WallClock
  readonly #log: Log
  #kept: string | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  #writing: Promise<void> = Promise.resolve()
  #next: string | undefined

  constructor(
    settings: DiscordChannelsSettings,
    { wallClock, log }: { readonly wallClock: WallClock; readonly log: Log },
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
      this.#log.warn({ file }, 'the file of running Discord channels is damaged; nothing is resumed')
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
    // What is being written is finished first, and then only the newest.
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
      await writeWhole(file, text)
    } catch (error) {
      // It is tried again when it is renewed.
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
