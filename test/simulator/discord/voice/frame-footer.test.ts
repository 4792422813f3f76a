import { describe, expect, it } from 'vitest'
import { BotReceiver } from '../../../../src/simulator/discord/voice/bot-receiver.ts'
import { hasDaveFooter } from '../../../../src/simulator/discord/voice/dave/mls.ts'
import { opusEncoder } from '../../../../src/simulator/discord/voice/speech.ts'
import { FakeClock } from '../../../../src/simulator/index.ts'
import { rms } from '../../../../src/transcode/level.ts'

const TAG = [1, 2, 3, 4, 5, 6, 7, 8]
const footed = (...nonce: number[]) =>
  Buffer.of(9, 9, 9, ...TAG, ...nonce, TAG.length + nonce.length + 3, 0xfa, 0xfa)

describe('the footer of DAVE', () => {
  it.each([[[1]], [[0x80, 1]], [[0xff, 0xff, 0xff, 0xff, 0x0f]]])('is known with the nonce %j', nonce =>
    expect(hasDaveFooter(footed(...nonce))).toBe(true),
  )

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['the marker alone', Buffer.of(0xfa, 0xfa)],
    ['a frame that consists of a footer', footed(1).subarray(3)],
    ['a size that is too small', Buffer.of(...TAG, ...TAG, 11, 0xfa, 0xfa)],
    ['a nonce of six bytes', footed(0x80, 0x80, 0x80, 0x80, 0x80, 1)],
    ['a nonce that does not end', footed(0x80, 0x80)],
    ['a nonce that ends early', footed(1, 1)],
    ['half a marker', Buffer.from(footed(1)).fill(0, footed(1).length - 1)],
  ])('is not in %s', (_what, frame) => expect(hasDaveFooter(frame)).toBe(false))
})

it('plays Opus that ends like the marker by chance', () => {
  const clock = new FakeClock()
  const ear = new BotReceiver({
    clock,
    openedAt: clock.now(),
    open: () => ({ kind: 'lost' }),
    expectation: () => ({ encryption: 'free', generation: 0 }),
  })
  const encoder = opusEncoder(1)
  for (let sequence = 0; sequence < 25; sequence++) {
    const frame = encoder.encode(
      Int16Array.from({ length: 960 }, (_, at) => 8_000 * Math.sin(((sequence * 960 + at) * Math.PI) / 60)),
    )
    frame.fill(0xfa, frame.length - 2)
    ear.packet({ frame, sequence, timestamp: sequence * 960, ssrc: 1, payloadType: 120 })
    clock.advance(20)
  }
  expect(ear.counts).toMatchObject({ frames: 25, undecryptable: 0, plaintext: 0 })
  expect(rms(ear.heard().subarray(3_200, 6_400))).toBeGreaterThan(2_000)
})
