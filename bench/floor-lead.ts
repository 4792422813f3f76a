/**
 * The floor with the signaling of the bridge: it sends sound only, in messages of 40 ms, 200 ms ahead of real time. The
 * rest is as in `floor.ts`.
 */
import { FRAME_BYTES, serveFloor, UTTERANCE_MS } from './floor-relay.ts'

const MESSAGE_MS = 40
const LEAD_MS = 200
const LOUD = Buffer.alloc(2 * FRAME_BYTES, 0x20).toString('base64')

serveFloor((socket, message) => {
  const loud = message(LOUD)
  /** The sound that is sent ends at the first time; all of it at the second. */
  let sentUntil = 0
  let loudUntil = 0
  return {
    result: now => {
      // Of an utterance in pieces, the first one counts.
      if (now < loudUntil) return
      sentUntil = now
      loudUntil = now + UTTERANCE_MS
    },
    tick: now => {
      for (; sentUntil < Math.min(now + LEAD_MS, loudUntil); sentUntil += MESSAGE_MS) socket.send(loud)
    },
  }
})
