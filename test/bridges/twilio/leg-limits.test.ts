import { describe, expect, it } from 'vitest'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { answeredLeg } from './fake-socket.ts'

const NOT_BASE64 = '*'.repeat(216)

describe('a telephone leg bears', () => {
  it('5 bad payloads in every 100', () => {
    const { clock, media, fake, counters } = answeredLeg()
    for (let n = 0; n < 1_000; n++) {
      clock.advance(20)
      media(n * 20, n % 20 === 0 ? NOT_BASE64 : undefined)
    }
    expect(counters.badPayloads).toBe(50)
    expect(fake.closeCode).toBeUndefined()
  })

  it('9 bad messages a second', () => {
    const { clock, fake, counters, log } = answeredLeg()
    for (let second = 0; second < 10; second++) {
      for (let n = 0; n < 9; n++) fake.emit('message', Buffer.from('{'), false)
      clock.advance(1_001)
    }
    expect(counters.badMessages).toBe(90)
    expect(fake.closeCode).toBeUndefined()
    expect(log.complaints).toHaveLength(1)
  })

  it('a burst after a stall, of which it drops what is beyond 5 s', () => {
    const { media, fake, got, counters } = answeredLeg()
    for (let n = 0; n < 400; n++) media()
    expect(counters.floodDropped).toBe(402 - 250)
    expect(got.frames).toHaveLength(400 - counters.floodDropped)
    expect(fake.closeCode).toBeUndefined()
  })
})

describe('a telephone leg that was quiet', () => {
  it('has each later gap filled in full', () => {
    const { clock, leg, media, got } = answeredLeg()
    media(0)
    clock.advance(1_000)
    leg.watch(clock.now())
    media(1_000)
    const before = got.frames.length
    media(1_000 + 20 + 500)
    expect(got.frames).toHaveLength(before + 25 + 1)
  })

  it('is pinged every 5 s, not at every look', () => {
    const { clock, leg, fake } = answeredLeg()
    for (let ms = 0; ms < 14_800; ms += 200) {
      clock.advance(200)
      leg.watch(clock.now())
    }
    expect(fake.pings).toBe(2)
  })
})

describe('a telephone leg that has ended', () => {
  it('counts nothing more', () => {
    const { leg, fake, media, counters } = answeredLeg()
    fake.hear({ event: 'stop', streamSid: 'MZ1' })
    const { messagesIn } = counters
    leg.play(new Int16Array(FRAME_SAMPLES))
    media()
    fake.emit('message', Buffer.alloc(100_000), true)
    expect(counters).toMatchObject({ messagesIn, mediaOut: 0, sentMs: 0 })
  })
})
