import { createRequire } from 'node:module'
import type * as Davey from '@snazzah/davey'
import { type Clock, setTimer } from '../../../../src/common/clock.ts'
import { assertInstalled } from '../../../../src/common/optional-package.ts'
import { Op } from '../gateway-message.ts'
import type { VoiceFaults } from '../voice-faults.ts'
import type { GroupMember } from './group-member.ts'
import { u16 } from './mls.ts'

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
    if (faults.welcomeDelayMs > 0) setTimer(clock, faults.welcomeDelayMs, () => tellBinary(op, payload))
    else tellBinary(op, payload)
  }

  prepareDowngrade(transitionId: number): void {
    this.#options.tell(Op.prepareTransition, { transition_id: transitionId, protocol_version: 0 })
  }

  execute(transitionId: number): void {
    this.#options.tell(Op.executeTransition, { transition_id: transitionId })
  }
}

const AUDIO = 0
const APPEND_PROPOSAL = 0

/** Installed with `@discordjs/voice`; loaded only for a speaking user, because not every simulation is of Discord. */
function davey(): typeof Davey {
  assertInstalled('discord')
  const { resolve } = createRequire(import.meta.url)
  return createRequire(resolve('@discordjs/voice'))('@snazzah/davey')
}

type Change = { commit: Buffer } | { welcome: Buffer } | 'downgrade'

/** A scripted user's end of DAVE: a real MLS member, which changes over when a transition is executed, not before. */
export class ScriptedMember implements GroupMember {
  readonly userId: string
  readonly scripted = true
  keyPackage: Buffer | undefined
  readonly #channelId: string
  readonly #externalSender: Buffer
  readonly #session: Davey.DAVESession
  #plain: boolean
  #pending: { transitionId: number; change: Change } | undefined

  /** `encrypted`: the call runs DAVE when the user joins. */
  constructor(userId: string, channelId: string, externalSender: Buffer, encrypted: boolean) {
    this.userId = userId
    this.#channelId = channelId
    this.#externalSender = externalSender
    this.#plain = !encrypted
    this.#session = new (davey().DAVESession)(VERSION, userId, channelId)
    this.#session.setExternalSender(externalSender)
    this.keyPackage = this.#session.getSerializedKeyPackage()
  }

  get privacyCode(): string | undefined {
    return (!this.#plain && this.#session.voicePrivacyCode) || undefined
  }

  found(plainUntilThen: boolean): void {
    this.#plain = plainUntilThen
    this.#pending = undefined
    this.#session.reinit(VERSION, this.userId, this.#channelId)
    this.#session.setExternalSender(this.#externalSender)
    this.keyPackage = this.#session.getSerializedKeyPackage()
  }

  propose(proposals: Buffer, recognized: readonly string[]): Buffer | undefined {
    try {
      const { commit, welcome } = this.#session.processProposals(APPEND_PROPOSAL, proposals, [...recognized])
      return commit && (welcome ? Buffer.concat([commit, welcome]) : commit)
    } catch {
      return undefined
    }
  }

  follow(transitionId: number, change: { commit: Buffer } | { welcome: Buffer }): void {
    this.#pending = { transitionId, change }
    if (transitionId === 0) this.execute(0)
  }

  prepareDowngrade(transitionId: number): void {
    this.#pending = { transitionId, change: 'downgrade' }
  }

  execute(transitionId: number): void {
    if (this.#pending?.transitionId !== transitionId) return
    const { change } = this.#pending
    this.#pending = undefined
    this.#plain = change === 'downgrade'
    if (change === 'downgrade') return
    try {
      if ('commit' in change) this.#session.processCommit(change.commit)
      else this.#session.processWelcome(change.welcome)
    } catch {
      // After an invalid commit, leaves this group and enters the next, like a real client.
      this.found(false)
    }
  }

  /** Seals a frame for the others; undefined while there is no key for it. */
  seal(opus: Buffer): Buffer | undefined {
    if (this.#plain) return opus
    return this.#session.ready ? this.#session.encryptOpus(opus) : undefined
  }

  /** Opens an encrypted frame of `userId`; undefined if this member cannot. */
  open(userId: string, frame: Buffer): Buffer | undefined {
    if (!this.#session.ready) return undefined
    try {
      return this.#session.decrypt(userId, AUDIO, frame)
    } catch {
      return undefined
    }
  }
}
