import { after, type Clock } from '../../../../common/clock.ts'
import { Op } from '../opcodes.ts'
import type { VoiceFaults } from '../voice-faults.ts'
import type { GroupMember } from './group-member.ts'
import { u16 } from './mls-bytes.ts'

const VERSION = 1
const APPEND = Buffer.of(0)

export interface BotMemberOptions {
  readonly userId: string
  readonly clock: Clock
  readonly faults: VoiceFaults
  readonly externalSender: Buffer
  readonly tell: (op: number, body: unknown) => void
  readonly tellBinary: (op: number, payload: Buffer) => void
}

/** A bot's end of DAVE, as far as the voice server sees it. */
export class BotMember implements GroupMember {
  readonly userId: string
  readonly scripted = false
  keyPackage: Buffer | undefined
  readonly #options: BotMemberOptions

  constructor(options: BotMemberOptions) {
    this.userId = options.userId
    this.#options = options
  }

  /** Op 25: before anything else. */
  introduce(): void {
    this.#options.tellBinary(Op.externalSender, this.#options.externalSender)
  }

  found(): void {
    this.keyPackage = undefined
    this.#options.tell(Op.prepareEpoch, { transition_id: 0, epoch: 1, protocol_version: VERSION })
    this.introduce()
  }

  propose(proposals: Buffer): undefined {
    this.#options.tellBinary(Op.proposals, Buffer.concat([APPEND, proposals]))
  }

  follow(transitionId: number, change: { commit: Buffer } | { welcome: Buffer }): void {
    const { clock, faults, tellBinary } = this.#options
    const op = 'commit' in change ? Op.announceCommit : Op.welcome
    const message = Buffer.from('commit' in change ? change.commit : change.welcome)
    if (faults.badCommits > 0) {
      faults.badCommits--
      message.fill(0, message.length >> 1)
    }
    const payload = Buffer.concat([u16(transitionId), message])
    if (faults.welcomeDelayMs > 0) after(clock, faults.welcomeDelayMs, () => tellBinary(op, payload))
    else tellBinary(op, payload)
  }

  prepareDowngrade(transitionId: number): void {
    this.#options.tell(Op.prepareTransition, { transition_id: transitionId, protocol_version: 0 })
  }

  execute(transitionId: number): void {
    this.#options.tell(Op.executeTransition, { transition_id: transitionId })
  }
}
