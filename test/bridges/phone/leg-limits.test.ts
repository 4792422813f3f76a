import { describe, expect, it } from 'vitest'
import { decodeMulaw } from '../../../src/transcode/g711.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { answeredLeg } from '../../support/phone/fake-socket.ts'

const NOT_BASE64 = '*'.repeat(216)

describe('a phone leg tolerates', () => {
  it('5 bad payloads in every 100', () => {
    const { clock, media, fake, counters } = answeredLeg()
    for (let n = 0; n < 1_000; n++) {
      clock.advance(20)
      media(n * 20, n % 20 === 0 ? NOT_BASE64 : undefined)
    }
    expect(counters.badPayloads).toBe(50)
    expect(fake.closeCode).toBeUndefined()
  })

  it('9 invalid messages a second', () => {
    const { clock, fake, counters, log } = answeredLeg()
    for (let second = 0; second < 10; second++) {
      for (let n = 0; n < 9; n++) fake.emit('message', Buffer.from('{'), false)
      clock.advance(1_001)
    }
    expect(counters.badMessages).toBe(90)
    expect(fake.closeCode).toBeUndefined()
    expect(log.complaints).toHaveLength(1)
  })
})

describe('a phone leg after a stall', () => {
  /** Speech of `ms` during which nothing arrives, and no timer runs if the whole machine stalls. */
  function stall(ms: number, machine = false) {
    const leg = answeredLeg()
    const { clock, media } = leg
    for (let n = 0; n < 50; n++) {
      clock.advance(20)
      media()
    }
    for (let passed = 0; passed < ms; passed += 200) {
      clock.advance(200)
      if (!machine) leg.leg.watch(clock.now())
    }
    // Timers run before sockets.
    leg.leg.watch(clock.now())
    leg.got.frames.length = 0
    return leg
  }
  /** The level rises every second, so that the audio received can be identified. */
  const second = (n: number) => Buffer.alloc(160, n).toString('base64')

  it.each([2, 5, 8, 9])('of %d s loses nothing', seconds => {
    const { media, fake, got, counters } = stall(seconds * 1_000)
    for (let n = 0; n < seconds * 50; n++) media()
    expect(got.frames).toHaveLength(seconds * 50)
    expect(counters).toMatchObject({ floodDropped: 0, backlogDroppedMs: 0 })
    expect(fake.closeCode).toBeUndefined()
  })

  it('of 14 s loses the oldest 4 s, and nothing afterwards', () => {
    const { clock, leg, media, fake, got, counters } = stall(14_000)
    for (let n = 0; n < 14 * 50; n++) media(undefined, second(n / 50))
    expect(got.frames.length).toBeGreaterThanOrEqual(500)
    expect(got.frames.length).toBeLessThanOrEqual(510)
    // µ-law 4 is the audio of the fifth second.
    const expected = new Int16Array(1)
    decodeMulaw(Uint8Array.of(4), expected)
    expect(got.frames[20]!.at(-1)! / expected[0]!).toBeCloseTo(1, 1)
    expect(counters.backlogDroppedMs + got.frames.length * 20).toBe(14_000)
    expect(leg.lostMs).toBe(counters.backlogDroppedMs)
    got.frames.length = 0
    for (let n = 0; n < 500; n++) {
      clock.advance(20)
      media()
    }
    expect(got.frames).toHaveLength(500)
    expect(fake.closeCode).toBeUndefined()
  })

  it('of a minute of the whole machine is neither closed nor fed a minute of silence', () => {
    const { media, fake, got, counters } = stall(60_000, true)
    expect(fake.terminated).toBe(false)
    expect(counters.silenceFedMs).toBeLessThanOrEqual(1_000)
    for (let n = 0; n < 60 * 50; n++) media()
    expect(got.frames.length).toBeGreaterThanOrEqual(500)
    expect(got.frames.length).toBeLessThanOrEqual(530)
    expect(counters.backlogDroppedMs).toBeGreaterThan(49_000)
    expect(fake.closeCode).toBeUndefined()
    expect(fake.terminated).toBe(false)
  })

  it('unseen by any clock, as on a suspended machine, stays connected', () => {
    const { media, fake, got } = stall(0)
    for (let n = 0; n < 60 * 50; n++) media()
    expect(fake.closeCode).toBeUndefined()
    expect(got.frames.length).toBeGreaterThanOrEqual(500)
    expect(got.frames.length).toBeLessThanOrEqual(750)
  })

  it('keeps marks, keys and the end of the call that arrive with outdated audio', async () => {
    const { leg, media, fake, got } = stall(60_000, true)
    leg.mark('u1')
    for (let n = 0; n < 100; n++) media()
    fake.hear({ event: 'mark', streamSid: 'MZ1', mark: { name: 'g0:u1' } })
    fake.hear({ event: 'dtmf', streamSid: 'MZ1', dtmf: { digit: '7' } })
    for (let n = 0; n < 100; n++) media()
    fake.hear({ event: 'stop', streamSid: 'MZ1' })
    expect(got.frames).toHaveLength(0)
    expect(got.marks).toEqual(['u1'])
    expect(got.digits).toEqual(['7'])
    await new Promise(resolve => setImmediate(resolve))
    expect(got.ended).toEqual({ kind: 'hangup', by: 'remote' })
  })

  it('is terminated for a flood that no stall explains, and can return', async () => {
    const { media, fake, got, counters } = stall(1_000)
    for (let n = 0; n < 8_000; n++) media()
    expect(fake.closeCode).toBe(1008)
    expect(counters.floodDropped).toBeGreaterThan(0)
    await new Promise(resolve => setImmediate(resolve))
    expect(got.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_PROTOCOL', retryable: true } })
  })
})

describe('a phone leg after a quiet period', () => {
  it('has each later gap filled completely', () => {
    const { clock, leg, media, got } = answeredLeg()
    media(0)
    clock.advance(1_000)
    leg.watch(clock.now())
    media(1_000)
    const before = got.frames.length
    media(1_000 + 20 + 500)
    expect(got.frames).toHaveLength(before + 25 + 1)
  })

  it('is pinged every 5 s, not at every check', () => {
    const { clock, leg, fake } = answeredLeg()
    for (let ms = 0; ms < 14_800; ms += 200) {
      clock.advance(200)
      leg.watch(clock.now())
    }
    expect(fake.pings).toBe(2)
  })
})

describe('a phone leg that has ended', () => {
  it('counts nothing further', () => {
    const { leg, fake, media, counters } = answeredLeg()
    fake.hear({ event: 'stop', streamSid: 'MZ1' })
    const { messagesIn } = counters
    leg.play(new Int16Array(FRAME_SAMPLES))
    media()
    fake.emit('message', Buffer.alloc(100_000), true)
    expect(counters).toMatchObject({ messagesIn, mediaOut: 0, sentMs: 0 })
  })
})
