import { isoTime, type WallClock } from '../../common/wall-clock.ts'
import type { Transcript, TranscriptStore, TranscriptSummary, TranscriptWriter } from './transcript.ts'

/** Maximum number of entries of all transcripts; above it, the oldest transcripts are deleted early. */
const MOST_ENTRIES = 200_000
const MOST_TRANSCRIPTS = 5_000

interface Kept {
  readonly transcript: Transcript
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Transcripts in memory, lost when the program ends. */
export class MemoryStore implements TranscriptStore {
  readonly #wall: WallClock
  readonly #keepMs: number
  /** In the order in which their rooms ended. */
  readonly #kept = new Map<string, Kept>()
  #entries = 0
  /** Number of transcripts deleted early. */
  evicted = 0

  constructor(wall: WallClock, keepMs: number) {
    this.#wall = wall
    this.#keepMs = keepMs
  }

  get stats() {
    return { kept: this.#kept.size, failed: 0, evicted: this.evicted }
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
      this.evicted++
    }
  }
}
