import { describe, expect, test } from 'vitest'
import { SpeakerLeg } from '../../../../src/bridges/discord/voice/speaker-leg.ts'
import type { EndReason } from '../../../../src/common/lifecycle.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { loudness, rms } from '../../../../src/transcode/level.ts'
import { concat } from '../../../../src/transcode/pcm.ts'
import { FarClient } from '../../../support/discord/remote-client.ts'
import { speakerStage as stage } from '../../../support/discord/speaker-harness.ts'

describe('a user talks', () => {
  test.each([
    [10, 1],
    [10, 2],
    [20, 1],
    [20, 2],
    [40, 2],
    [60, 1],
  ] as const)('in packets of %i ms of %i channel(s), and is played unchanged', (ms, channels) => {
    const { say, heard, counters } = stage()
    const far = new FarClient({ ms, channels })
    say(far, 500, 600 / ms)
    expect(heard().length).toBe(600 * 16)
    expect(loudness(heard().subarray(3_200), 500, 16_000)).toBeGreaterThan(7_000)
    expect(counters).toMatchObject({ lost: 0, concealedMs: 0, silenceMs: 0, malformed: 0 })
  })

  test('and is received from the first packet on', () => {
    const { give, frames } = stage()
    give(new FarClient().tone(500))
    expect(frames.length).toBe(1)
    expect(rms(frames[0]!)).toBeGreaterThan(1_000)
  })

  test('across the wrap-around of both counters', () => {
    const { say, frames, loud, counters } = stage()
    say(new FarClient({ sequence: 65_530, timestamp: 0xffff_f000 }), 500, 30)
    expect(frames.length).toBe(30)
    expect(loud(500)).toBeGreaterThanOrEqual(29)
    expect(counters).toMatchObject({ restarts: 0, lost: 0, silenceMs: 0 })
  })
})

describe('a turn ends', () => {
  test('after five silence frames: silence follows for the configured time, in real time, then nothing', () => {
    const { say, stop, frames, clock, counters } = stage(600)
    const far = new FarClient()
    say(far, 500, 20)
    stop(far)
    clock.advance(200)
    expect(frames.length).toBeGreaterThanOrEqual(20 + 5 + 9)
    expect(frames.length).toBeLessThanOrEqual(20 + 5 + 11)
    clock.advance(10_000)
    expect(frames.length).toBe(20 + 5 + 30)
    expect(rms(concat(frames.slice(22)))).toBeLessThan(100)
    expect(rms(concat(frames.slice(25)))).toBe(0)
    expect(counters.silenceMs).toBe(600)
  })

  test('without silence frames when no packet arrives', () => {
    const { say, frames, clock } = stage(600)
    say(new FarClient(), 500, 20)
    clock.advance(150)
    expect(frames.length).toBe(20)
    clock.advance(10_000)
    expect(frames.length).toBe(20 + 30)
    expect(rms(concat(frames.slice(20)))).toBe(0)
  })

  test('and the next one starts immediately after any pause', () => {
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

  test('and later silence frames start no turn', () => {
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

  test('with half a frame, which is played', () => {
    const { say, stop, frames, clock } = stage()
    const far = new FarClient({ ms: 10 })
    say(far, 500, 21)
    stop(far)
    clock.advance(20)
    expect(frames.length).toBeGreaterThanOrEqual(16)
    expect(rms(frames[10]!.subarray(0, 160))).toBeGreaterThan(1_000)
  })
})

describe('the leg', () => {
  test('that fails does not affect other speakers', async () => {
    const { pacer, source, counters, clock } = stage()
    const broken = new SpeakerLeg({ id: 'ben', userId: '2', source, pacer, counters, log: noopLogger })
    broken.attach({
      write: () => {
        throw new Error('the listener failed')
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

  test('confirms marks at the next tick, not within the call, and no flushed ones', () => {
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

  test('ends once, for the first reason, and is no longer listened to', async () => {
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

  test('that replaced another stays when that one ends', async () => {
    const { leg, source, pacer, counters } = stage()
    const next = new SpeakerLeg({ id: 'anna 2', userId: '1', source, pacer, counters, log: noopLogger })
    next.attach({ write: () => {}, marked: () => {}, dtmf: () => {} })
    await leg.close({ kind: 'replaced' })
    expect(source.sinks.get('1')).toBe(next)
  })

  test('ends with the channel', async () => {
    const { leg, source } = stage()
    source.over.resolve()
    expect(await leg.ended).toEqual({ kind: 'hangup', by: 'remote' })
  })
})
