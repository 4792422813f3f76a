import type { Clock } from '../../../core/clock.ts'
import type { ChannelEnd } from '../channel-interpreter.ts'
import type { ChannelMember } from './member.ts'
import type { SessionParts } from './session-parts.ts'
import { within } from './within.ts'

const FAREWELL_MS = 4_000
/** Discord may take so long for what is written at the end (ms). */
const LAST_WRITING_MS = 4_000

export interface FarewellTerms {
  readonly end: ChannelEnd
  readonly members: readonly ChannelMember[]
  /** False: it had not begun, and nobody need be told that it ended. */
  readonly begun: boolean
  /** The last words may take so long (ms). Default 4 000. */
  readonly farewellMs?: number | undefined
}

/** Stops listening at once; then says goodbye to everybody who can still hear it, or read it, in a bounded time. */
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
