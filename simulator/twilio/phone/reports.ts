const BUCKET_MS = 0.25
const BUCKETS = 2000

/** A distribution of milliseconds in fixed memory: quarters of a millisecond up to 500 ms, the maximum exact. */
export class Histogram {
  #buckets: Uint32Array | undefined
  #count = 0
  #sum = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  /** 0 if no report was added. */
  get maxMs(): number {
    return this.#max
  }

  get meanMs(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  /** Negative values count as 0. */
  add(ms: number): void {
    const value = Math.max(0, ms)
    this.#buckets ??= new Uint32Array(BUCKETS)
    const index = Math.min(BUCKETS - 1, Math.floor(value / BUCKET_MS))
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1
    this.#count++
    this.#sum += value
    if (value > this.#max) this.#max = value
  }

  /** Adds all values of `other`. */
  merge(other: Histogram): void {
    if (!other.#buckets) return
    this.#buckets ??= new Uint32Array(BUCKETS)
    for (let i = 0; i < BUCKETS; i++) this.#buckets[i] = (this.#buckets[i] ?? 0) + (other.#buckets[i] ?? 0)
    this.#count += other.#count
    this.#sum += other.#sum
    this.#max = Math.max(this.#max, other.#max)
  }

  /**
   * Returns the smallest value that at least `share` (0–1) of all values do not exceed, to a quarter of a millisecond;
   * 0 if empty.
   */
  quantile(share: number): number {
    if (!this.#buckets) return 0
    let rest = Math.max(1, Math.ceil(share * this.#count))
    for (let i = 0; i < BUCKETS - 1; i++) {
      rest -= this.#buckets[i] ?? 0
      if (rest <= 0) return Math.min(this.#max, (i + 1) * BUCKET_MS)
    }
    return this.#max
  }

  toJSON(): { count: number; meanMs: number; p50Ms: number; p99Ms: number; maxMs: number } {
    const { count, meanMs, maxMs } = this
    return { count, meanMs, p50Ms: this.quantile(0.5), p99Ms: this.quantile(0.99), maxMs }
  }
}

/** A gap of silence inside a stretch of audio: the queue ran dry and filled again too late. */
export interface Gap {
  /** Start of the silence (milliseconds of the call's clock). */
  readonly at: number
  readonly ms: number
}

/** Playout as the participant heard it. All times are milliseconds of the call's clock. */
export interface PlayoutReport {
  /** Media messages that were played or queued, and their µ-law bytes (8 of them last 1 ms). */
  messages: number
  bytes: number
  /** Arrival of the first media message; undefined before it. */
  firstAudioAt: number | undefined
  /** Gaps over 1 ms inside a stretch: their number, total length, the longest, and the first ones in detail. */
  gapCount: number
  gapMs: number
  longestGapMs: number
  gaps: Gap[]
  /** Time between the queue running dry and each message that continues a stretch; 0 for messages in time. */
  lateness: Histogram
  /** Marks sent, echoed after everything before them was played, and never returned. */
  marks: number
  marksPlayed: number
  unconfirmedMarks: string[]
  clears: number
}

/** Returns an empty report. */
export function emptyPlayoutReport(): PlayoutReport {
  return {
    messages: 0,
    bytes: 0,
    firstAudioAt: undefined,
    gapCount: 0,
    gapMs: 0,
    longestGapMs: 0,
    gaps: [],
    lateness: new Histogram(),
    marks: 0,
    marksPlayed: 0,
    unconfirmedMarks: [],
    clears: 0,
  }
}

/** Adds `part` to `sum`: the streams of one call, or the calls of a crowd. */
export function mergePlayout(sum: PlayoutReport, part: PlayoutReport): void {
  sum.messages += part.messages
  sum.bytes += part.bytes
  const firsts = [sum.firstAudioAt, part.firstAudioAt].filter(at => at !== undefined)
  sum.firstAudioAt = firsts.length === 0 ? undefined : Math.min(...firsts)
  sum.gapCount += part.gapCount
  sum.gapMs += part.gapMs
  sum.longestGapMs = Math.max(sum.longestGapMs, part.longestGapMs)
  sum.gaps.push(...part.gaps)
  sum.lateness.merge(part.lateness)
  sum.marks += part.marks
  sum.marksPlayed += part.marksPlayed
  sum.unconfirmedMarks.push(...part.unconfirmedMarks)
  sum.clears += part.clears
}

/** All measurements and findings: the playout figures of all streams together, and each stream's own. */
export interface CallReport extends PlayoutReport {
  readonly callSid: string
  /** In the order in which they were opened, including rejected ones. */
  readonly streams: readonly StreamReport[]
  /** Errors that ended or rejected something: 11200 no answer, 31920 rejected upgrade, 31903 broken connection, … */
  readonly errors: readonly Notice[]
  /** Protocol violations of the server: 31931, 31950, 31951, `NOT_MULAW`. Listed once per stream; empty for a correct server. */
  readonly warnings: readonly Notice[]
  /** The texts of `<Say>`. */
  readonly said: readonly string[]
  /** Number of media messages to the server, and how late they reached the socket: how busy this machine was. */
  readonly sent: number
  readonly sendLateness: Histogram
}

/** Combines the reports of a call's streams into the report of the call. */
export function callReport(
  callSid: string,
  streams: readonly StreamReport[],
  found: Pick<CallReport, 'errors' | 'warnings' | 'said'>,
): CallReport {
  const playout = emptyPlayoutReport()
  const sendLateness = new Histogram()
  let sent = 0
  for (const stream of streams) {
    mergePlayout(playout, stream.playout)
    sendLateness.merge(stream.sendLateness)
    sent += stream.sent
  }
  return { ...playout, callSid, streams, ...found, sent, sendLateness }
}

/**
 * Entries of Twilio's debugger. The numbers are Twilio's error catalog. `'NOT_MULAW'` exists only here: the audio
 * starts like a file (WAV, MP3, ID3) and would be played as noise, which Twilio does not report.
 */
export type NoticeCode = number | 'NOT_MULAW'

/** A problem that Twilio would report in its debugger. */
export interface Notice {
  readonly code: NoticeCode
  /** Human-readable description. */
  readonly text: string
  /** Milliseconds of the call's clock. */
  readonly at: number
}

/** Notices, with a limited number of entries per code; repetitions are only counted. */
export class Notices {
  readonly #perCode: number
  readonly #list: Notice[] = []
  readonly #counts = new Map<NoticeCode, number>()

  /** `perCode`: maximum number of entries with the same code. Twilio reports a stream's warnings once. */
  constructor(perCode: number) {
    this.#perCode = perCode
  }

  /** In chronological order. */
  get list(): readonly Notice[] {
    return this.#list
  }

  add(code: NoticeCode, text: string, at: number): void {
    const count = this.count(code)
    if (count < this.#perCode) this.#list.push({ code, text, at })
    this.#counts.set(code, count + 1)
  }

  /** Number of occurrences of `code`, including those that are not listed. */
  count(code: NoticeCode): number {
    return this.#counts.get(code) ?? 0
  }
}

/** End of a stream. */
export interface StreamEnd {
  /**
   * `phone`: by `stop` and our close · `server`: the server closed · `network`: the connection broke, from either side
   * · `refused`: it was never open.
   */
  readonly by: 'phone' | 'server' | 'network' | 'refused'
  /** The WebSocket's close code, 1006 without a close frame; for `refused` the HTTP status, 0 without a response. */
  readonly code: number
  readonly reason: string
}

/** Report of one socket. */
export interface StreamReport {
  readonly streamSid: string
  /** When `start` was sent, in milliseconds of the call's clock; undefined if it never was. */
  readonly startedAt: number | undefined
  /** Undefined while the stream is open. */
  readonly end: StreamEnd | undefined
  readonly playout: PlayoutReport
  /** Number of media messages to the server, and how late they reached the socket. */
  readonly sent: number
  readonly sendLateness: Histogram
  /** With the quirk `twinSocket`: how the server ended the second use of the token; undefined while it is open. */
  readonly twin: StreamEnd | undefined
}
