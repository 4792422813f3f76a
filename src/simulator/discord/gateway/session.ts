import { after, type Clock } from '../../../core/clock.ts'
import type { Json } from '../json.ts'
import type { SeenGatewaySession } from './faults.ts'

/** What happened since a session began, for a resume. */
interface Sent {
  readonly seq: number
  readonly text: string
}

/** Where a session's messages go while it is connected. */
export interface SessionLine {
  send(text: string): void
}

const KEPT = 2_000

/** What a bot is told, numbered and kept, so that a connection that breaks loses nothing. */
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

  /** True when everything after `seq` is still known. */
  canResumeFrom(seq: number): boolean {
    const first = this.#sent[0]?.seq ?? this.#seq + 1
    return seq >= first - 1 && seq <= this.#seq
  }

  /** Goes on over `line`: sends again what came after `seq`, then RESUMED. */
  resume(line: SessionLine, seq: number): void {
    this.stop()
    this.#line = line
    this.resumes++
    const missed = this.#sent.filter(sent => sent.seq > seq)
    this.replayed += missed.length
    for (const { text } of missed) line.send(text)
    this.dispatch('RESUMED', {})
  }

  /** Calls `ended` when nobody resumes it for so long. */
  waitForResume(clock: Clock, ms: number, ended: () => void): void {
    this.stop()
    this.#waiting = after(clock, ms, ended)
  }

  /** Waits for nobody any more. */
  stop(): void {
    this.#waiting?.[Symbol.dispose]()
  }

  /** Its connection is gone; what happens from now on is kept. */
  detach(line: SessionLine): void {
    if (this.#line === line) this.#line = undefined
  }
}
