import { withTimeout } from '../../common/clock.ts'
import type { NoticeName } from '../../core/model/announcer.ts'
import type { ParticipantState } from '../../core/model/participant-state.ts'
import type { Announcement } from '../../core/playout/announcement.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { ControlContext } from './control-context.ts'

/** For participants without a language. */
const DEFAULT_LANGUAGE = 'en-us'

/** Plays a notice to a participant in their language; settles when it is queued. Undefined: there is no announcer. */
export async function tell(
  { announcer }: ControlContext,
  participant: Participant,
  notice: NoticeName,
): Promise<Announcement | undefined> {
  const { hears, speaks } = participant.state
  const sound = await announcer?.notice(notice, hears ?? speaks ?? DEFAULT_LANGUAGE)
  return sound && participant.announce(sound)
}

/** Returns the notice for a participant whose state was changed by others, or undefined if none is needed. */
export function changeNotice(before: ParticipantState, now: ParticipantState): NoticeName | undefined {
  if (before.muted !== now.muted) return now.muted ? 'muted' : 'unmuted'
  if (before.interpreting !== now.interpreting)
    return now.interpreting ? 'interpreting-resumed' : 'interpreting-paused'
  return before.hears !== now.hears || before.speaks !== now.speaks ? 'language-changed' : undefined
}

/** Maximum duration of a goodbye (ms). */
const FAREWELL_MS = 8_000

/**
 * Ends a room. With a `notice`, participants are notified first. Its links, codes and captions become invalid at once.
 * Settles when the room has ended, or immediately if it was empty. Idempotent.
 */
export async function endRoom(
  context: ControlContext,
  name: string,
  notice?: 'goodbye' | 'time-up',
): Promise<void> {
  const { plans, lives, captionHub, relay, departed } = context
  plans.remove(name)
  lives.end(name)
  const room = relay.rooms.get(name)
  if (!room) {
    captionHub.end(name)
    departed.add('room', name)
    return
  }
  if (notice) await farewell(context, notice, Array.from(room.participants.values()))
  await room.close({ kind: 'hangup', by: 'local' })
}

async function farewell(
  context: ControlContext,
  notice: 'goodbye' | 'time-up',
  participants: readonly Participant[],
): Promise<void> {
  const told = participants.map(async participant => (await tell(context, participant, notice))?.ended)
  await withTimeout(context.clock, FAREWELL_MS, Promise.all(told))
}
