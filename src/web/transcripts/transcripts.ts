import { type Clock, systemClock, Ticker } from '../../common/clock.ts'
import { HOUR_MS } from '../../common/durations.ts'
import type { Logger } from '../../common/log.ts'
import { isoTime, systemWallClock, type WallClock } from '../../common/wall-clock.ts'
import type { Observer } from '../../core/model/events.ts'
import { CaptionFeed, type CaptionSource, type FeedEvent, type RoomLife } from '../captions/caption-feed.ts'
import { DiskStore } from './disk-store.ts'
import type { TranscriptSettings } from './settings.ts'
import {
  type Transcript,
  TranscriptBuilder,
  type TranscriptEntry,
  type TranscriptStore,
  type TranscriptSummary,
  type TranscriptWriter,
} from './transcript.ts'

const SWEEP_MS = 60_000

export interface TranscriptOptions {
  readonly feed: CaptionSource
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Logger
}

interface LiveTranscript {
  readonly life: RoomLife
  readonly builder: TranscriptBuilder
  readonly writer: TranscriptWriter | undefined
}

/**
 * Transcripts of open and ended rooms. While a room is open, its transcript is in memory; the settings decide about
 * later storage.
 */
export class Transcripts implements AsyncDisposable {
  readonly #live = new Map<string, LiveTranscript>()
  readonly #store: TranscriptStore | undefined
  readonly #finishing = new Set<Promise<void>>()
  readonly #owned: Disposable | undefined
  #sweeper: Ticker | undefined

  /** `owned` is disposed with it. */
  private constructor(store: TranscriptStore | undefined, owned?: Disposable) {
    this.#store = store
    this.#owned = owned
  }

  /** Follows the feed from now on. Rejects if the configured folder cannot be used. */
  static async open(settings: TranscriptSettings, options: TranscriptOptions): Promise<Transcripts> {
    const { feed, clock } = options
    const store = await storeOf(settings, options)
    const transcripts = new Transcripts(store)
    feed.on((life, event) => transcripts.#take(life, event))
    if (store) transcripts.#sweeper = new Ticker(clock, SWEEP_MS, () => void store.sweep())
    return transcripts
  }

  /** Follows the rooms of `observer` from now on, and keeps only the transcripts of open rooms, in memory. */
  static inMemory(observer: Observer): Transcripts {
    const feed = new CaptionFeed(observer, systemClock, systemWallClock)
    const transcripts = new Transcripts(undefined, feed)
    feed.on((life, event) => transcripts.#take(life, event))
    feed.start()
    return transcripts
  }

  /** Number of failed writes. */
  get failed(): number {
    return this.#store?.failed ?? 0
  }

  /** Returns the summaries by age, with open rooms last. */
  list(): TranscriptSummary[] {
    const kept = Array.from(this.#store?.list() ?? [])
    const live = Array.from(this.#live.values(), ({ life: { id, room, openedAt } }) => ({
      id,
      room,
      openedAt,
    }))
    return [...kept, ...live].sort((a, b) => (a.openedAt < b.openedAt ? -1 : 1))
  }

  /** Returns the transcript of the open room with this name. */
  of(room: string): Transcript | undefined {
    const live = this.#live.get(room)
    return live && whole(live)
  }

  /** Returns the entries of the open room that were spoken at `sinceMs` (clock ms) or later. */
  since(room: string, sinceMs: number): readonly TranscriptEntry[] {
    const live = this.#live.get(room)
    if (!live) return []
    const from = sinceMs - live.life.openedAtMs
    return live.builder.entries().filter(({ startMs }) => startMs >= from)
  }

  async read(id: string): Promise<Transcript | undefined> {
    for (const live of this.#live.values()) if (live.life.id === id) return whole(live)
    return this.#store?.read(id)
  }

  /** Deletes it at once; that of an open room starts again. Resolves to false if it does not exist. */
  async delete(id: string): Promise<boolean> {
    for (const { life, builder, writer } of this.#live.values()) {
      if (life.id !== id) continue
      builder.clear()
      writer?.clear()
      return true
    }
    return (await this.#store?.delete(id)) ?? false
  }

  /** Settles when everything is stored. Rooms should have ended before. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#sweeper?.[Symbol.dispose]()
    this.#owned?.[Symbol.dispose]()
    for (const room of Array.from(this.#live.keys())) this.#end(room)
    await Promise.all(this.#finishing)
  }

  #take(life: RoomLife, event: FeedEvent): void {
    if (event.kind === 'opened')
      this.#live.set(life.room, {
        life,
        builder: new TranscriptBuilder(),
        writer: this.#store?.begin(life),
      })
    else if (event.kind === 'closed') this.#end(life.room)
    else if (event.kind === 'caption') {
      const live = this.#live.get(life.room)
      const entry = live?.builder.add(event.caption)
      if (entry) live?.writer?.write(entry)
    }
  }

  #end(room: string): void {
    const live = this.#live.get(room)
    this.#live.delete(room)
    if (!live?.writer) return
    const finishing = live.writer.finish(whole(live)).finally(() => this.#finishing.delete(finishing))
    this.#finishing.add(finishing)
  }
}

async function storeOf(
  { store: keep, keepHours, folder }: TranscriptSettings,
  { wall, log }: TranscriptOptions,
): Promise<TranscriptStore | undefined> {
  const keepMs = keepHours * HOUR_MS
  if (keep === 'memory') return new MemoryStore(wall, keepMs)
  return keep === 'disk' ? DiskStore.open(folder, { wall, log, keepMs }) : undefined
}

function whole({ life: { id, room, openedAt }, builder }: LiveTranscript): Transcript {
  return { id, room, openedAt, entries: builder.entries(), dropped: builder.dropped }
}

/** Maximum number of entries of all transcripts; above it, the oldest transcripts are deleted early. */
const MOST_ENTRIES = 200_000
const MOST_TRANSCRIPTS = 5_000

interface Kept {
  readonly transcript: Transcript
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Transcripts in memory, lost when the program ends. */
class MemoryStore implements TranscriptStore {
  readonly #wall: WallClock
  readonly #keepMs: number
  /** In the order in which their rooms ended. */
  readonly #kept = new Map<string, Kept>()
  #entries = 0
  readonly failed = 0

  constructor(wall: WallClock, keepMs: number) {
    this.#wall = wall
    this.#keepMs = keepMs
  }

  begin(): TranscriptWriter {
    return {
      write() {},
      clear() {},
      finish: async transcript => this.#keep(transcript),
    }
  }

  list(): readonly TranscriptSummary[] {
    return Array.from(
      this.#kept.values(),
      ({ transcript: { entries: _, dropped: __, ...summary } }) => summary,
    )
  }

  async read(id: string): Promise<Transcript | undefined> {
    await this.sweep()
    return this.#kept.get(id)?.transcript
  }

  async delete(id: string): Promise<boolean> {
    const kept = this.#kept.get(id)
    if (!kept) return false
    this.#kept.delete(id)
    this.#entries -= kept.transcript.entries.length
    return true
  }

  async sweep(): Promise<void> {
    const now = this.#wall()
    for (const [id, { until }] of this.#kept) if (until <= now) void this.delete(id)
  }

  #keep(transcript: Transcript): void {
    // Empty transcripts are not stored.
    if (transcript.entries.length === 0) return
    const now = this.#wall()
    const until = now + this.#keepMs
    this.#kept.set(transcript.id, {
      transcript: { ...transcript, endedAt: isoTime(now), deletedAt: isoTime(until) },
      until,
    })
    this.#entries += transcript.entries.length
    for (const id of this.#kept.keys()) {
      if (this.#entries <= MOST_ENTRIES && this.#kept.size <= MOST_TRANSCRIPTS) return
      void this.delete(id)
    }
  }
}
