import { expect, test } from 'vitest'
import { placeCall } from '../../../src/simulator/index.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { standIn } from './bridge-stand-in.ts'

const TONE_HZ = 440

function toneOf(ms: number, hz = TONE_HZ): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, i) => 8000 * Math.sin((2 * Math.PI * hz * i) / 8000))
}

test('an echo is heard, without a gap or a warning', async () => {
  await using server = await standIn({
    onMessage({ event, media, streamSid }, { socket }) {
      if (event !== 'media') return
      socket.send(`{"event":"media","streamSid":"${streamSid}","media":{"payload":"${media?.payload}"}}`)
    },
  })
  await using call = await placeCall({ webhook: server.webhook, allowInsecureStream: true, gapWithinMs: 5 })
  const spoken = await call.say(toneOf(400))
  await call.quietFor(0)
  expect(spoken.complete).toBe(true)
  const end = await call.hangUp()
  expect(end.kind).toBe('hangup')
  const { warnings, errors, bytes, sent } = call.report()
  expect({ warnings, errors }).toEqual({ warnings: [], errors: [] })
  expect(bytes).toBe((sent - 0) * 160)
  const heard = call.heard()
  expect(loudness(heard, TONE_HZ, 8000)).toBeGreaterThan(1000)
  expect(server.sockets[0]?.messages.map(m => m.event).filter(e => e !== 'media')).toEqual([
    'connected',
    'start',
    'stop',
  ])
})
