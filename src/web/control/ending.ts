import { after } from '../../core/clock.ts'
import type { Participant } from '../../core/participant.ts'
import type { Floor } from './floor.ts'
import { tell } from './telling.ts'

/** A farewell that takes longer is cut short (ms). */
const FAREWELL_MS = 8_000

/**
 * Ends a room: who is in it is told so first if there is a `notice`. Its links and codes are good for nothing from this moment on,
 * its captions end with it. Settles when it has ended, or at once where nobody was. Idempotent.
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
