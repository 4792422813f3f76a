/**
 * The floor: a relay without any audio work, with prepared frames back on one absolute 20 ms grid. Everything that a
 * bridge costs above this is its own cost.
 */
import { FRAME_BYTES, serveFloor, UTTERANCE_MS } from './floor-relay.ts'

const QUIET = Buffer.alloc(FRAME_BYTES, 0xff).toString('base64')
const LOUD = Buffer.alloc(FRAME_BYTES, 0x20).toString('base64')

serveFloor((socket, message) => {
  const quiet = message(QUIET)
  const loud = message(LOUD)
  const startedAt = performance.now()
  let sent = 0
  let loudUntil = 0
  return {
    result: now => {
      loudUntil = now + UTTERANCE_MS
    },
    tick: now => {
      for (const due = Math.floor((now - startedAt) / 20) + 1; sent < due; sent++)
        socket.send(now < loudUntil ? loud : quiet)
    },
  }
})
