import type { Expectation, Opened } from './bot-ear.ts'
import type { BotSession } from './bot-session.ts'
import type { DaveGroup } from './dave/dave-group.ts'
import type { ScriptedMember } from './dave/scripted-member.ts'

/** Handles the DAVE messages of bots, and opens their frames like the group's members. */
export class CallDave {
  readonly group: DaveGroup
  readonly #members: () => Iterable<ScriptedMember>

  constructor(group: DaveGroup, members: () => Iterable<ScriptedMember>) {
    this.group = group
    this.#members = members
  }

  /** Op 26; false if the key package cannot be added. */
  offered({ member }: BotSession, keyPackage: Buffer): boolean {
    if (!this.group.couldAdd(member, keyPackage)) return false
    member.keyPackage = Buffer.from(keyPackage)
    this.group.changed()
    return true
  }

  /** Op 28. */
  committed({ member }: BotSession, payload: Buffer): void {
    this.group.committed(member, Buffer.from(payload))
  }

  /** Op 23. */
  ready({ member }: BotSession, transitionId: number): void {
    this.group.execution.ready(member, transitionId)
  }

  /** Op 31: the bot could not use a commit or welcome and starts again; its new key package follows. */
  invalid({ member }: BotSession): void {
    member.keyPackage = undefined
    member.introduce()
    this.group.changed()
  }

  /** Opens an encrypted frame of `userId` like the members of the group. */
  open(userId: string, frame: Buffer): Opened {
    for (const member of this.#members()) {
      const opus = member.open(userId, frame)
      if (opus) return { kind: 'opus', opus }
    }
    return this.group.execution.underWay ? { kind: 'wait' } : { kind: 'lost' }
  }

  /** Current expectations of the bot's frames. */
  expectationOf(session: BotSession | undefined): Expectation {
    const { execution, generation, version } = this.group
    if (!session || version === 0 || execution.underWay || !this.group.has(session.member))
      return { encryption: 'free', generation }
    return { encryption: execution.fresh ? 'beginning' : 'demanded', generation }
  }
}
