import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loudness, rms } from '../../../../src/transcode/level.ts'
import { concat } from '../../../../src/transcode/pcm.ts'
import { FarClient } from '../../../support/discord/remote-client.ts'
import { speakerStage as stage } from '../../../support/discord/speaker-harness.ts'

describe('a speaker’s network', () => {
  test('loses a packet: it is concealed, and timing is preserved', () => {
    const { give, clock, frames, counters, leg } = stage()
    const far = new FarClient()
    for (let n = 0; n < 30; n++) {
      const packet = far.tone(500)
      if (n !== 15) give(packet)
      clock.advance(20)
    }
    expect(frames.length).toBe(30)
    expect(leg.lostMs).toBe(20)
    expect(rms(frames[15]!)).toBeGreaterThan(2_000)
    expect(counters).toMatchObject({ lost: 1, concealedMs: 20, silenceMs: 0 })
  })

  test('loses half a second: a little is concealed, the rest is silence', () => {
    const { give, clock, frames, counters } = stage()
    const far = new FarClient()
    const packets = Array.from({ length: 55 }, () => far.tone(500))
    for (const [n, packet] of packets.entries()) {
      // In a burst, as after a stall: the turn is not over.
      if (n < 15 || n >= 40) give(packet)
      if (n < 15) clock.advance(20)
    }
    expect(frames.length).toBe(55)
    expect(counters).toMatchObject({ lost: 25, concealedMs: 100, silenceMs: 400 })
    expect(rms(concat(frames.slice(21, 39)))).toBeLessThan(50)
    expect(rms(frames[50]!)).toBeGreaterThan(4_000)
  })

  test('loses so much that the turn seemed over: all of it counts as lost', () => {
    const { clock, say, stop, leg } = stage()
    const far = new FarClient({ ms: 40 })
    say(far, 500, 10)
    for (let n = 0; n < 20; n++) far.tone(500)
    clock.advance(800)
    say(far, 500, 10)
    stop(far)
    clock.advance(60_000)
    far.skip(60_000)
    say(far, 500, 10)
    expect(leg.lostMs).toBe(800)
  })

  test('reorders packets without an audible effect', () => {
    const { give, clock, heard, counters } = stage()
    const far = new FarClient()
    const packets = Array.from({ length: 30 }, () => far.tone(500))
    for (let n = 1; n + 1 < 30; n += 4) [packets[n], packets[n + 1]] = [packets[n + 1]!, packets[n]!]
    for (const packet of packets) {
      give(packet)
      clock.advance(20)
    }
    const { heard: straight, give: giveStraight } = stage()
    const again = new FarClient()
    for (let n = 0; n < 30; n++) giveStraight(again.tone(500))
    expect(heard()).toEqual(straight())
    expect(counters.reordered).toBeGreaterThan(5)
  })

  test('never delivers an awaited packet: the others are played soon', () => {
    const { give, clock, frames } = stage()
    const far = new FarClient()
    give(far.tone(500))
    far.tone(500)
    give(far.tone(500))
    expect(frames.length).toBe(1)
    clock.advance(80)
    expect(frames.length).toBe(3)
  })

  test('pauses without silence frames: silence, no concealment', () => {
    const { say, frames, counters } = stage()
    const far = new FarClient()
    say(far, 500, 10)
    far.skip(100)
    say(far, 500, 10)
    expect(frames.length).toBe(25)
    expect(counters).toMatchObject({ lost: 0, concealedMs: 0, silenceMs: 100 })
    expect(rms(concat(frames.slice(10, 15)))).toBe(0)
  })

  test('delivers another SSRC, or a jump of the clock: a new stream without filling', () => {
    const { say, give, clock, frames, counters, loud } = stage()
    say(new FarClient(), 500, 10)
    const rejoined = new FarClient({ sequence: 40_000, timestamp: 3_000_000_000 })
    for (let n = 0; n < 10; n++) {
      give(rejoined.tone(900), 8)
      clock.advance(20)
    }
    expect(counters.restarts).toBe(1)
    rejoined.skip(3_600_000)
    for (let n = 0; n < 10; n++) {
      give(rejoined.tone(900), 8)
      clock.advance(20)
    }
    expect(frames.length).toBe(30)
    expect(loud(900)).toBeGreaterThanOrEqual(18)
    expect(counters).toMatchObject({ restarts: 2, lost: 0, silenceMs: 0 })
  })

  test('delivers more than real-time speech: the rest is dropped', () => {
    const { give, frames, counters } = stage()
    const far = new FarClient()
    const packet = far.tone(500)
    for (let n = 0; n < 1_000; n++) give({ ...packet, sequence: (100 + n) & 0xffff, timestamp: n * 960 })
    expect(frames.length).toBe(250)
    expect(counters.flooded).toBe(750)
  })

  test('delivers garbage: it is counted, and the next packets are played', () => {
    const { give, clock, say, heard, counters, leg } = stage()
    const far = new FarClient()
    say(far, 500, 5)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), opus => {
        give({ sequence: far.sequence, timestamp: far.timestamp, opus })
        far.sequence = (far.sequence + 1) & 0xffff
        far.skip(20)
        clock.advance(20)
      }),
      { numRuns: 300, seed: 5 },
    )
    expect(counters.undecodable + counters.malformed).toBeGreaterThan(50)
    expect(leg.lostMs).toBeGreaterThan(50 * 2.5)
    const before = heard().length
    say(far, 500, 20)
    expect(loudness(heard().subarray(before + 1_600), 500, 16_000)).toBeGreaterThan(6_000)
  })
})
