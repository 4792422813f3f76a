import { after, type Clock } from '../../../common/clock.ts'
import type { Json } from '../json.ts'
import type { SeenGatewaySession } from './faults.ts'

/** An event since the session started, kept for a resume. */
interface Sent {
  readonly seq: number
  readonly text: string
}

/** Transport of a session's messages while it is connected. */
export interface SessionLine {
  send(text: string): void
}

const KEPT = 2_000

/** Numbers and keeps the events for a bot, so that a broken connection loses nothing. */
export class GatewaySession {
  readonly sessionId: string
  readonly intents: number
  readonly shard: readonly [number, number]
  resumes = 0
  replayed = 0
  #seq = 0
  #waiting: Disposable | undefined
  #line: SessionLine | undefined
  readonly #sent: Sent[] = []

  constructor(terms: {
    sessionId: string
    intents: number
    shard: readonly [number, number]
    line: SessionLine
  }) {
    this.sessionId = terms.sessionId
    this.intents = terms.intents
    this.shard = terms.shard
    this.#line = terms.line
  }

  get connected(): boolean {
    return this.#line !== undefined
  }

  get seen(): SeenGatewaySession {
    const { sessionId, intents, shard, resumes, replayed, connected } = this
    return { sessionId, intents, shard, resumes, replayed, connected }
  }

  get seq(): number {
    return this.#seq
  }

  dispatch(name: string, data: Json | null): void {
    const text = JSON.stringify({ op: 0, t: name, s: ++this.#seq, d: data })
    this.#sent.push({ seq: this.#seq, text })
    if (this.#sent.length > KEPT) this.#sent.shift()
    this.#line?.send(text)
  }

  /** True if everything after `seq` is still kept. */
  canResumeFrom(seq: number): boolean {
    const first = this.#sent[0]?.seq ?? this.#seq + 1
    return seq >= first - 1 && seq <= this.#seq
  }

  /** Continues over `line`: sends everything after `seq` again, then RESUMED. */
  resume(line: SessionLine, seq: number): void {
    this.stop()
    this.#line = line
    this.resumes++
    const missed = this.#sent.filter(sent => sent.seq > seq)
    this.replayed += missed.length
    for (const { text } of missed) line.send(text)
    this.dispatch('RESUMED', {})
  }

  /** Calls `ended` if nothing resumes the session within `ms`. */
  waitForResume(clock: Clock, ms: number, ended: () => void): void {
    this.stop()
    this.#waiting = after(clock, ms, ended)
  }

  /** Stops waiting for a resume. */
  stop(): void {
    this.#waiting?.[Symbol.dispose]()
  }

  /** Its connection is gone; later events are kept. */
  detach(line: SessionLine): void {
    if (this.#line === line) this.#line = undefined
  }
}
