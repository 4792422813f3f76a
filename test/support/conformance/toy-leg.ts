import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { LegUplink } from '../../../src/core/model/leg.ts'
import { FakeLeg } from '../../../src/simulator/fakes/fake-leg.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import type { LegSubject } from './leg.ts'

/** Possible faults, one per check of the suite. */
export interface LegFaults {
  readonly sameId?: boolean
  readonly halfFrames?: boolean
  readonly deafToKeys?: boolean
  readonly keepsMemory?: boolean
  readonly marksEarly?: boolean
  readonly marksFlushed?: boolean
  readonly needsSomethingToFlush?: boolean
  readonly alwaysCongested?: boolean
  readonly lastReasonWins?: boolean
  readonly ignoresHangUp?: boolean
  readonly rejects?: boolean
  readonly livesOn?: boolean
}

/** A leg that is correct except for `faults`. */
class ToyLeg extends FakeLeg {
  readonly #faults: LegFaults
  readonly #wrongEnd = Promise.withResolvers<EndReason>()
  readonly #kept: Int16Array[] = []

  constructor(id: string, faults: LegFaults) {
    super(id)
    this.#faults = faults
    this.congested = faults.alwaysCongested ?? false
    this.#wrongEnd.promise.catch(() => {})
    if (faults.lastReasonWins || faults.rejects)
      Object.defineProperty(this, 'ended', { value: this.#wrongEnd.promise })
  }

  override attach(uplink: LegUplink): void {
    const { halfFrames } = this.#faults
    const write = (frame: Int16Array) => {
      for (let at = 0; at < frame.length; at += FRAME_SAMPLES / 2)
        uplink.write(frame.subarray(at, at + FRAME_SAMPLES / 2))
    }
    const { marked, dtmf } = { marked: uplink.marked.bind(uplink), dtmf: uplink.dtmf.bind(uplink) }
    super.attach(halfFrames ? { write, marked, dtmf } : uplink)
  }

  override play(frames: Int16Array): void {
    this.#kept.push(frames)
    super.play(frames)
  }

  override mark(name: string): void {
    if (this.#faults.marksEarly) this.uplink?.marked(name)
    else super.mark(name)
  }

  override flush(): void {
    if (this.#faults.needsSomethingToFlush && this.played.length === 0)
      throw new RangeError('nothing to flush')
    if (this.#faults.marksFlushed) for (const { name } of this.marks) this.uplink?.marked(name)
    super.flush()
  }

  override press(digit: string): void {
    if (!this.#faults.deafToKeys) super.press(digit)
  }

  override sounded(): Int16Array {
    if (!this.#faults.keepsMemory) return super.sounded()
    return Int16Array.from(this.#kept.flatMap(frames => Array.from(frames)))
  }

  override async close(reason: EndReason): Promise<void> {
    const { lastReasonWins, rejects, livesOn, ignoresHangUp } = this.#faults
    if (ignoresHangUp && reason.kind === 'hangup' && reason.by === 'remote') return
    // The wrong end arrives late, after all others.
    if (lastReasonWins) setImmediate(() => this.#wrongEnd.resolve({ kind: 'parent-closed' }))
    else if (rejects) this.#wrongEnd.reject(new Error('rejected'))
    else if (!livesOn) await super.close(reason)
  }
}

let count = 0

/** A `FakeLeg` and its participant; with `faults`, a faulty one. */
export function fakeSubject(faults?: LegFaults): LegSubject {
  const make = () => {
    const id = faults?.sameId ? 'toy' : `toy-${++count}`
    return faults ? new ToyLeg(id, faults) : new FakeLeg(id)
  }
  const leg = make()
  const gone = new BridgeError('LEG_LOST', 'gone', { retryable: true })
  return {
    leg,
    another: async () => make(),
    party: {
      say: pcm => leg.say(pcm),
      press: keys => {
        for (const key of keys) leg.press(key)
      },
      listen: async () => leg.hear(),
      heard: () => ({ pcm: leg.sounded(), rate: 16_000 }),
      hangUp: () => void leg.close({ kind: 'hangup', by: 'remote' }),
      vanish: () => void leg.close({ kind: 'failed', error: gone }),
    },
    patienceMs: 100,
  }
}
