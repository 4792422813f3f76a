import { describe, expect, test } from 'vitest'
import {
  answered,
  CLOCK_DIALECTS,
  type ClockDialect,
  NO_LOSS,
} from '../../support/phone/carrier-clock-harness.ts'

const FRAME_MS = 20
const FRAMES = 250

/** Numbers the messages of Telnyx, those without audio included. */
function numbered(message: ReturnType<ClockDialect['message']>, number: number) {
  if (message.binary) return message
  const text = message.data.toString().replace(/"chunk":"\d+"/, `"chunk":"${number}"`)
  return { ...message, data: Buffer.from(text) }
}

describe.each(CLOCK_DIALECTS.map(dialect => [dialect.name, dialect] as const))(
  'a stream of %s',
  (_, dialect) => {
    test('ignores messages without audio, 100 a second, and loses none of the audio between them', () => {
      let heard = 0
      const count = () => void heard++
      const { time, counters, hear } = answered(dialect, { sent: () => {}, heard: count })
      let number = 0
      for (let frame = 0; frame < FRAMES; frame++) {
        time.now += FRAME_MS
        for (const audio of [undefined, Buffer.alloc(0), Buffer.alloc(0)])
          hear(numbered(dialect.message(frame, audio), ++number))
      }
      expect(counters).toMatchObject({ ...NO_LOSS, mediaIn: FRAMES, messagesIn: 3 * FRAMES + 1 })
      expect(heard).toBeGreaterThanOrEqual(FRAMES - 1)
    })
  },
)
