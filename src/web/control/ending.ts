import { after } from '../../common/clock.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { Floor } from './control-context.ts'
import { tell } from './telling.ts'

/** Maximum duration of a goodbye (ms). */
const FAREWELL_MS = 8_000

/**
 * Ends a room. With a `notice`, participants are notified first. Its links, codes and captions become invalid at once.
 * Settles when the room has ended, or immediately if it was empty. Idempotent.
 */
export async function endRoom(floor: Floor, name: string, notice?: 'goodbye' | 'time-up'): Promise<void> {
  const { plans, lives, desk, relay, departed } = floor
  plans.remove(name)
  lives.end(name)
  const room = relay.rooms.get(name)
  if (!room) {
    desk.end(name)
    departed.add('room', name)
    return
  }
  if (notice) await farewell(floor, notice, Array.from(room.participants.values()))
  await room.close({ kind: 'hangup', by: 'local' })
}

async function farewell(
  floor: Floor,
  notice: 'goodbye' | 'time-up',
  participants: readonly Participant[],
): Promise<void> {
  const told = participants.map(async participant => (await tell(floor, participant, notice))?.ended)
  const late = Promise.withResolvers<void>()
  using _ = after(floor.clock, FAREWELL_MS, () => late.resolve())
  await Promise.race([Promise.all(told), late.promise])
}
