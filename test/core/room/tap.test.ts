import { afterEach, describe, expect, test } from 'vitest'
import { type Tap, type Track, TrackWriter } from '../../../src/core/model/recording.ts'
import { loudness, peak } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

/** Places all frames on a timeline, track by track. */
class Tape implements Tap {
  readonly tracks = new Map<string, Int16Array>()
  readonly known = new Map<string, Track>()
  readonly ends = new Map<string, number>()
  ended = 0

  frame(track: Track, frame: Int16Array, atMs: number): void {
    expect(frame).toHaveLength(FRAME_SAMPLES)
    expect(atMs).toBeGreaterThanOrEqual(this.ends.get(track.id) ?? 0)
    this.known.set(track.id, track)
    const pcm = this.tracks.get(track.id) ?? new Int16Array(20 * 16_000)
    this.tracks.set(track.id, pcm)
    pcm.set(frame, Math.round(atMs * 16))
    this.ends.set(track.id, atMs + 20)
  }

  end(): void {
    this.ended++
  }

  between(id: string, from: number, to: number): Int16Array {
    return this.tracks.get(id)?.subarray(from * 16, to * 16) ?? new Int16Array(0)
  }
}

async function couple() {
  r = await rooms()
  const tape = new Tape()
  const tapping = r.relay.onTap(() => tape)
  const anna = r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await r.run(1_000)
  return { tape, tapping, anna, bob }
}

describe('a tap', () => {
  test('gets each voice and each translation on a separate track, at playback time', async () => {
    const { tape, bob } = await couple()
    r.say('anna', sine(440, 1_000))
    await r.run(1_000)
    r.say('bob', sine(700, 500))
    r.answer('en-us', 'es-es', 1_800, 500)
    await r.run(2_000)
    expect([...tape.known.values()]).toEqual(
      expect.arrayContaining([
        { id: 'original anna', kind: 'original', participant: 'anna' },
        { id: 'original bob', kind: 'original', participant: 'bob' },
        { id: 'translation anna es-es', kind: 'translation', participant: 'anna', to: 'es-es' },
      ]),
    )
    expect(tape.known.size).toBe(3)
    // Frame 1 is spoken at 0 ms; the speech at 1000 is on the track from 1000 to 2000.
    expect(loudness(tape.between('original anna', 1_000, 2_000), 440, 16_000)).toBeGreaterThan(7_900)
    expect(peak(tape.between('original anna', 2_000, 4_000))).toBe(0)
    expect(loudness(tape.between('original bob', 2_000, 2_500), 700, 16_000)).toBeGreaterThan(7_900)
    // At the time of Bob's playback.
    const heard = bob.between(0, 4_000)
    const track = tape.between('translation anna es-es', 0, 4_000 - 20)
    const first = (pcm: Int16Array, hz: number) => {
      for (let at = 0; at + 320 <= pcm.length; at += 320)
        if (loudness(pcm.subarray(at, at + 320), hz, 16_000) > 2_000) return at / 16
      return Number.NaN
    }
    // Bob joined when the room opened.
    expect(first(track, 1_800)).toBe(first(heard, 1_800))
    expect(loudness(track, 440, 16_000)).toBeLessThan(20)
  })

  test('gets a translation for several listeners once, even if the first of them leaves in the middle', async () => {
    const { tape, bob } = await couple()
    r.live('carl', { hears: 'es-es' })
    await r.run(100)
    r.answer('en-us', 'es-es', 1_800, 2_000)
    await r.run(1_000)
    void bob.close({ kind: 'hangup', by: 'remote' })
    await r.run(2_000)
    const track = tape.between('translation anna es-es', 1_100, 3_100)
    expect(loudness(track.subarray(200 * 16, 1_800 * 16), 1_800, 16_000)).toBeGreaterThan(7_000)
  })

  test('gets no audio of a muted participant', async () => {
    const { tape } = await couple()
    r.relay.find('anna')?.change({ muted: true })
    r.say('anna', sine(440, 1_000))
    await r.run(1_000)
    expect(peak(tape.between('original anna', 1_000, 2_000))).toBe(0)
  })

  test('ends with the room, and is removed without other effects if it throws', async () => {
    const { tape, anna, bob } = await couple()
    const room = r.relay.rooms.get('r')
    const bad = { ends: 0, frames: 0 }
    room?.tap({
      frame() {
        bad.frames++
        throw new Error('no')
      },
      end: () => void bad.ends++,
    })
    r.say('anna', sine(440, 500))
    await r.run(600)
    expect(bad).toEqual({ ends: 1, frames: 1 })
    expect(peak(tape.between('original anna', 1_000, 1_500))).toBe(8_000)
    expect(peak(bob.lately(500))).toBeGreaterThan(1_000)
    await Promise.all([anna, bob].map(leg => leg.close({ kind: 'hangup', by: 'remote' })))
    await r.run(20)
    expect(tape.ended).toBe(1)
    expect(bad.ends).toBe(1)
  })

  test('can be added and removed at any time', async () => {
    r = await rooms()
    r.live('anna', { speaks: 'en-us', hears: 'en-us' })
    r.live('bob', { speaks: 'es-es', hears: 'es-es' })
    await r.run(1_000)
    const tape = new Tape()
    const off = r.relay.rooms.get('r')?.tap(tape)
    r.say('anna', sine(440, 2_000))
    await r.run(500)
    off?.[Symbol.dispose]()
    off?.[Symbol.dispose]()
    await r.run(500)
    expect(tape.ended).toBe(1)
    expect(tape.ends.get('original anna')).toBe(1_500)
    expect(r.relay.find('anna')?.tap).toBeUndefined()
  })

  test('is no longer requested after its factory is removed, and a factory that throws does not block calls', async () => {
    const { tapping } = await couple()
    tapping[Symbol.dispose]()
    let asked = 0
    r.relay.onTap(() => {
      asked++
      throw new Error('no')
    })
    r.live('carl', { room: 'other', speaks: 'en-us' })
    expect(asked).toBe(2)
    expect(r.relay.find('carl')?.tap).toBeUndefined()
  })
})

describe('a track', () => {
  test('keeps the order of frames despite network jitter', () => {
    const at: number[] = []
    const writer = new TrackWriter({ id: 'x', kind: 'original', participant: 'x' }, 1_000, (_t, _f, ms) =>
      at.push(ms),
    )
    const frame = new Int16Array(FRAME_SAMPLES)
    // Two on time, three late ones in a burst, one early, then a gap of a second.
    for (const now of [1_000, 1_021, 1_101, 1_101, 1_101, 1_102, 2_200]) writer.live(frame, now)
    expect(at).toEqual([0, 20, 40, 60, 80, 100, 1_200])
    // A flood exceeds the available time.
    at.length = 0
    for (let n = 0; n < 1_000; n++) writer.live(frame, 2_220)
    expect(at.length).toBeLessThanOrEqual(16)
    expect(at.length).toBeGreaterThanOrEqual(14)
  })
})
