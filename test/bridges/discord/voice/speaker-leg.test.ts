import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LinkCounters } from '../../../../src/bridges/discord/voice/link-counters.ts'
import { OutgoingPacer } from '../../../../src/bridges/discord/voice/outgoing-pacer.ts'
import type { PacketSink, PacketSource } from '../../../../src/bridges/discord/voice/packet-sink.ts'
import { SpeakerLeg } from '../../../../src/bridges/discord/voice/speaker-leg.ts'
import type { EndReason } from '../../../../src/core/errors.ts'
import { silentLog } from '../../../../src/core/log.ts'
import { FakeClock } from '../../../../src/simulator/fake-clock.ts'
import { loudness, rms } from '../../../../src/transcode/level.ts'
import { FRAME_SAMPLES, joined } from '../../../../src/transcode/pcm.ts'
import { FarClient, type FarPacket } from './far-client.ts'

class FakeSource implements PacketSource {
  readonly sinks = new Map<string, PacketSink>()
  readonly over = Promise.withResolvers<void>()
  readonly ended = this.over.promise
  listen(userId: string, sink: PacketSink): void {
    this.sinks.set(userId, sink)
  }
  unlisten(userId: string, sink?: PacketSink): void {
    if (sink === undefined || this.sinks.get(userId) === sink) this.sinks.delete(userId)
  }
}

function stage(turnSilenceMs = 800) {
  const clock = new FakeClock(5_000)
  const pacer = new OutgoingPacer(clock)
  const source = new FakeSource()
  const counters = new LinkCounters()
  const leg = new SpeakerLeg({
    id: 'anna',
    userId: '1',
    source,
    pacer,
    counters,
    log: silentLog,
    turnSilenceMs,
  })
  const frames: Int16Array[] = []
  const marks: string[] = []
  leg.attach({
    write: frame => {
      expect(frame.length).toBe(FRAME_SAMPLES)
      frames.push(frame.slice())
    },
    marked: name => void marks.push(name),
    dtmf: () => {},
  })
  const give = ({ sequence, timestamp, opus }: FarPacket, ssrc = 7) =>
    source.sinks.get('1')?.packet(sequence, timestamp, ssrc, opus)
  /** Packets of `far` in real time. */
  const say = (far: FarClient, hz: number, packets: number) => {
    for (let n = 0; n < packets; n++) {
      give(far.tone(hz))
      clock.advance(far.ms)
    }
  }
  const stop = (far: FarClient) => {
    for (let n = 0; n < 5; n++) {
      give(far.silence())
      clock.advance(20)
    }
  }
  const heard = () => joined(frames)
  /** Frames in which `hz` is heard. */
  const loud = (hz: number) => frames.filter(frame => loudness(frame, hz, 16_000) > 4_000).length
  return { clock, pacer, source, counters, leg, frames, marks, give, say, stop, heard, loud }
}

describe('a user talks', () => {
  test.each([
    [10, 1],
    [10, 2],
    [20, 1],
    [20, 2],
    [40, 2],
    [60, 1],
  ] as const)('in packets of %i ms of %i channel(s), and is heard as they are', (ms, channels) => {
    const { say, heard, counters } = stage()
    const far = new FarClient({ ms, channels })
    say(far, 500, 600 / ms)
    expect(heard().length).toBe(600 * 16)
    expect(loudness(heard().subarray(3_200), 500, 16_000)).toBeGreaterThan(7_000)
    expect(counters).toMatchObject({ lost: 0, concealedMs: 0, silenceMs: 0, malformed: 0 })
  })

  test('and is heard from the first packet on', () => {
    const { give, frames } = stage()
    give(new FarClient().tone(500))
    expect(frames.length).toBe(1)
    expect(rms(frames[0]!)).toBeGreaterThan(1_000)
  })

  test('across the ends of both counters', () => {
    const { say, frames, loud, counters } = stage()
    say(new FarClient({ sequence: 65_530, timestamp: 0xffff_f000 }), 500, 30)
    expect(frames.length).toBe(30)
    expect(loud(500)).toBeGreaterThanOrEqual(29)
    expect(counters).toMatchObject({ restarts: 0, lost: 0, silenceMs: 0 })
  })
})

describe('a turn ends', () => {
  test('with five silence frames: silence follows for as long as is set, in real time, then nothing', () => {
    const { say, stop, frames, clock, counters } = stage(600)
    const far = new FarClient()
    say(far, 500, 20)
    stop(far)
    clock.advance(200)
    expect(frames.length).toBeGreaterThanOrEqual(20 + 5 + 9)
    expect(frames.length).toBeLessThanOrEqual(20 + 5 + 11)
    clock.advance(10_000)
    expect(frames.length).toBe(20 + 5 + 30)
    expect(rms(joined(frames.slice(22)))).toBeLessThan(100)
    expect(rms(joined(frames.slice(25)))).toBe(0)
    expect(counters.silenceMs).toBe(600)
  })

  test('without any, when no packet comes', () => {
    const { say, frames, clock } = stage(600)
    say(new FarClient(), 500, 20)
    clock.advance(150)
    expect(frames.length).toBe(20)
    clock.advance(10_000)
    expect(frames.length).toBe(20 + 30)
    expect(rms(joined(frames.slice(20)))).toBe(0)
  })

  test('and the next one begins at once, however long the pause was', () => {
    const { say, stop, frames, clock, loud, counters } = stage(600)
    const far = new FarClient()
    say(far, 500, 20)
    stop(far)
    clock.advance(300)
    const before = frames.length
    far.skip(300)
    say(far, 700, 10)
    expect(frames.length).toBe(before + 10)
    stop(far)
    clock.advance(60_000)
    far.skip(60_000)
    const after = frames.length
    say(far, 900, 10)
    expect(frames.length).toBe(after + 10)
    expect(loud(500)).toBeGreaterThanOrEqual(19)
    expect(loud(700)).toBeGreaterThanOrEqual(6)
    expect(loud(900)).toBeGreaterThanOrEqual(6)
    expect(counters).toMatchObject({ lost: 0, restarts: 0 })
  })

  test('and silence frames after it begin none', () => {
    const { say, stop, frames, clock } = stage(600)
    const far = new FarClient()
    say(far, 500, 5)
    stop(far)
    clock.advance(5_000)
    const before = frames.length
    stop(far)
    clock.advance(5_000)
    expect(frames.length).toBe(before)
  })

  test('half a frame at its end is heard', () => {
    const { say, stop, frames, clock } = stage()
    const far = new FarClient({ ms: 10 })
    say(far, 500, 21)
    stop(far)
    clock.advance(20)
    expect(frames.length).toBeGreaterThanOrEqual(16)
    expect(rms(frames[10]!.subarray(0, 160))).toBeGreaterThan(1_000)
  })
})

describe('on the way', () => {
  test('a packet is lost: guessed, and everything stays where it belongs', () => {
    const { give, clock, frames, counters } = stage()
    const far = new FarClient()
    for (let n = 0; n < 30; n++) {
      const packet = far.tone(500)
      if (n !== 15) give(packet)
      clock.advance(20)
    }
    expect(frames.length).toBe(30)
    expect(rms(frames[15]!)).toBeGreaterThan(2_000)
    expect(counters).toMatchObject({ lost: 1, concealedMs: 20, silenceMs: 0 })
  })

  test('half a second is lost: a little is guessed, the rest is silence', () => {
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
    expect(rms(joined(frames.slice(21, 39)))).toBeLessThan(50)
    expect(rms(frames[50]!)).toBeGreaterThan(4_000)
  })

  test('packets come in another order: nobody hears it', () => {
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

  test('one that others wait for never comes, and nothing more: they are heard soon', () => {
    const { give, clock, frames } = stage()
    const far = new FarClient()
    give(far.tone(500))
    far.tone(500)
    give(far.tone(500))
    expect(frames.length).toBe(1)
    clock.advance(80)
    expect(frames.length).toBe(3)
  })

  test('the sender pauses without saying so: silence, no guesses', () => {
    const { say, frames, counters } = stage()
    const far = new FarClient()
    say(far, 500, 10)
    far.skip(100)
    say(far, 500, 10)
    expect(frames.length).toBe(25)
    expect(counters).toMatchObject({ lost: 0, concealedMs: 0, silenceMs: 100 })
    expect(rms(joined(frames.slice(10, 15)))).toBe(0)
  })

  test('another SSRC, or a jump of the clock, is a new stream: nothing is filled in', () => {
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

  test('more comes than anybody can say: the rest is dropped', () => {
    const { give, frames, counters } = stage()
    const far = new FarClient()
    const packet = far.tone(500)
    for (let n = 0; n < 1_000; n++) give({ ...packet, sequence: (100 + n) & 0xffff, timestamp: n * 960 })
    expect(frames.length).toBe(250)
    expect(counters.flooded).toBe(750)
  })

  test('garbage comes: it is counted, and the next packets are heard', () => {
    const { give, clock, say, heard, counters } = stage()
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
    const before = heard().length
    say(far, 500, 20)
    expect(loudness(heard().subarray(before + 1_600), 500, 16_000)).toBeGreaterThan(6_000)
  })
})

describe('the leg', () => {
  test('of one speaker that fails does not touch another', async () => {
    const { pacer, source, counters, clock } = stage()
    const broken = new SpeakerLeg({ id: 'ben', userId: '2', source, pacer, counters, log: silentLog })
    broken.attach({
      write: () => {
        throw new Error('nobody takes this')
      },
      marked: () => {},
      dtmf: () => {},
    })
    const far = new FarClient()
    const { sequence, timestamp, opus } = far.tone(500)
    source.sinks.get('2')?.packet(sequence, timestamp, 9, opus)
    expect(await broken.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
    expect([...source.sinks.keys()]).toEqual(['1'])
    clock.advance(1_000)
    expect(pacer.size).toBe(1)
  })

  test('confirms marks at the next tick, not within the call, and none that was flushed', () => {
    const { leg, marks, clock } = stage()
    leg.mark('gone')
    leg.flush()
    leg.play()
    leg.mark('one')
    leg.mark('two')
    expect(marks).toEqual([])
    clock.advance(20)
    expect(marks).toEqual(['one', 'two'])
  })

  test('ends once, for the reason first given, and is listened to no more', async () => {
    const { leg, source, pacer, give, frames, clock } = stage()
    const ends: EndReason[] = []
    void leg.ended.then(reason => ends.push(reason))
    give(new FarClient().tone(500))
    await leg.close({ kind: 'hangup', by: 'local' })
    await leg.close({ kind: 'parent-closed' })
    expect(ends).toEqual([{ kind: 'hangup', by: 'local' }])
    expect(source.sinks.size).toBe(0)
    expect(pacer.size).toBe(0)
    leg.packet(1, 1, 7, Uint8Array.of(0xf8))
    leg.mark('late')
    clock.advance(5_000)
    expect(frames.length).toBe(1)
    expect(clock.pending).toBe(0)
  })

  test('that took the place of another stays when that one ends', async () => {
    const { leg, source, pacer, counters } = stage()
    const next = new SpeakerLeg({ id: 'anna 2', userId: '1', source, pacer, counters, log: silentLog })
    next.attach({ write: () => {}, marked: () => {}, dtmf: () => {} })
    await leg.close({ kind: 'replaced' })
    expect(source.sinks.get('1')).toBe(next)
  })

  test('ends when the channel does', async () => {
    const { leg, source } = stage()
    source.over.resolve()
    expect(await leg.ended).toEqual({ kind: 'hangup', by: 'remote' })
  })

  test('refuses a silence that no service could tell, or wait for', () => {
    expect(() => stage(50)).toThrow('100 to 5000')
    expect(() => stage(60_000)).toThrow('100 to 5000')
  })
})
