import { type Clock, setTimer } from '../../../../src/common/clock.ts'
import type { GroupMember } from './group-member.ts'

/** Time for bots to send op 23 (ms); then the others change over without them. Discord's own figure is not documented. */
const PATIENCE_MS = 2_000
/** A client also needs some time to change over; real ones accept plaintext for ten seconds. */
const FRESH_MS = 5_000

export interface ExecutionOptions {
  readonly clock: Clock
  readonly waiting: Waiting
  readonly isPresent: (member: GroupMember) => boolean
  /** Called when everyone has changed over. */
  readonly onExecuted: () => void
}

/** The orderly change from one key to the next: everyone prepares (op 23), then everyone changes over (op 22). */
export class Execution {
  readonly #options: ExecutionOptions
  readonly #ready = new Set<GroupMember>()
  #lastId = 0
  #underWay = false
  #executedAt = Number.NEGATIVE_INFINITY

  constructor(options: ExecutionOptions) {
    this.#options = options
  }

  /** True from the first message of a transition until it is executed. */
  get underWay(): boolean {
    return this.#underWay
  }

  /** True while frames from before the last transition can still be in transit. */
  get fresh(): boolean {
    return this.#underWay || this.#options.clock.now() < this.#executedAt + FRESH_MS
  }

  /** Called before the first message is sent. */
  begin(): void {
    this.#underWay = true
  }

  /** The transition has failed. */
  abandon(): void {
    this.#underWay = false
  }

  /** An id for the next transition; from 1 on, because 0 is for groups without earlier talk. */
  nextId(): number {
    this.#ready.clear()
    this.#lastId = (this.#lastId % 0xffff) + 1
    return this.#lastId
  }

  /** Op 23 from a bot. */
  ready(by: GroupMember, id: number): void {
    if (!this.#underWay || id !== this.#lastId) return
    this.#ready.add(by)
    this.#options.waiting.wake()
  }

  /** Waits until everyone is ready, and lets them change over; with id 0 they have done so automatically. */
  async run(id: number, everybody: readonly GroupMember[]): Promise<void> {
    const { waiting, isPresent, clock, onExecuted } = this.#options
    if (id > 0) {
      const slow = (member: GroupMember) =>
        !member.scripted && member.keyPackage && isPresent(member) && !this.#ready.has(member)
      await waiting.until(() => !everybody.some(slow), PATIENCE_MS)
      for (const member of everybody) if (isPresent(member)) member.execute(id)
    }
    this.#underWay = false
    this.#executedAt = clock.now()
    onExecuted()
  }
}

/** Waits for a condition: one wait at a time, checked again after every `wake`. */
export class Waiting {
  readonly #clock: Clock
  #look: (() => void) | undefined
  #finish: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Something has changed. */
  wake(): void {
    this.#look?.()
  }

  /** Stops waiting. */
  stop(): void {
    this.#finish?.()
  }

  /** Settles when `holds`, or after `ms`. */
  until(holds: () => boolean, ms: number): Promise<void> {
    if (holds()) return Promise.resolve()
    return new Promise(settle => {
      const finish = () => {
        timer[Symbol.dispose]()
        this.#look = undefined
        this.#finish = undefined
        settle()
      }
      const timer = setTimer(this.#clock, ms, finish)
      this.#finish = finish
      this.#look = () => {
        if (holds()) finish()
      }
    })
  }
}
