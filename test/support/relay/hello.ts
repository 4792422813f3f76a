import type { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import type { Relay } from '../../../src/core/room/relay.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { sine } from '../transcode/tone.ts'

/** The participant of `leg` says a word of 200 ms at once, so that sessions open. */
export function hello(leg: FakeLeg): void {
  const word = sine(440, 200)
  for (let at = 0; at < word.length; at += FRAME_SAMPLES)
    leg.uplink?.write(word.subarray(at, at + FRAME_SAMPLES))
}

/** Opens the sessions of everybody who is in a room, as if they spoke. */
export function wakeSessions(relay: Relay, now: number): void {
  for (const { interpretations } of relay.rooms.values())
    for (const { session } of interpretations) session.wake(now)
}
