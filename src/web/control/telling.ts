import type { NoticeName } from '../../core/model/announcer.ts'
import type { PartyState } from '../../core/model/participant-state.ts'
import type { Announcement } from '../../core/playout/announcement.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { Floor } from './control-context.ts'

/** For participants without a language. */
const DEFAULT_LANGUAGE = 'en-us'

/** Plays a notice to a participant in their language; settles when it is queued. Undefined: there is no announcer. */
export async function tell(
  { announcer }: Floor,
  participant: Participant,
  notice: NoticeName,
): Promise<Announcement | undefined> {
  const { hears, speaks } = participant.state
  const sound = await announcer?.notice(notice, hears ?? speaks ?? DEFAULT_LANGUAGE)
  return sound && participant.announce(sound)
}

/** Returns the notice for a participant whose state was changed by others, or undefined if none is needed. */
export function changeNotice(before: PartyState, now: PartyState): NoticeName | undefined {
  if (before.muted !== now.muted) return now.muted ? 'muted' : 'unmuted'
  if (before.interpreting !== now.interpreting)
    return now.interpreting ? 'interpreting-resumed' : 'interpreting-paused'
  return before.hears !== now.hears || before.speaks !== now.speaks ? 'language-changed' : undefined
}
