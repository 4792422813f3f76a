import type { Clock } from '../../../common/clock.ts'
import { within } from '../../../common/within.ts'
import type { ChannelEnd } from '../channel-interpreter.ts'
import type { SessionParts } from './channel-components.ts'
import type { ChannelMember } from './member.ts'

const FAREWELL_MS = 4_000
/** Time limit for the last requests to Discord (ms). */
const LAST_WRITING_MS = 4_000

export interface FarewellTerms {
  readonly end: ChannelEnd
  readonly members: readonly ChannelMember[]
  /** False: interpreting never started, so the end is not announced. */
  readonly begun: boolean
  /** Time limit for the spoken goodbye (ms). Default 4 000. */
  readonly farewellMs?: number | undefined
}

/** Stops listening immediately, then says goodbye to everyone who can still hear or read it, within a bounded time. */
export async function farewell(
  { room, welcome, writing, others, indicator, mention }: SessionParts,
  { end, members, begun, farewellMs = FAREWELL_MS }: FarewellTerms,
  clock: Clock,
): Promise<void> {
  await room.speakers.close({ kind: 'hangup', by: 'local' })
  const heard = begun && (end.kind === 'stopped' || end.kind === 'parent-closed')
  await Promise.all([
    welcome.farewell(heard ? members : [], farewellMs),
    within(clock, LAST_WRITING_MS, writing.end(end, mention(), begun)),
    within(clock, LAST_WRITING_MS, indicator?.off()),
    within(clock, farewellMs, others.leave()),
  ])
  await within(clock, farewellMs, others.hangUp())
  await room.close({ kind: 'hangup', by: 'local' })
}
