import { expect, test } from 'vitest'
import { PacedAudio } from '../../../../src/service/engines/wire/paced-audio.ts'
import { FakeClock } from '../../../../src/simulator/fakes/fake-clock.ts'
import { concat } from '../../../../src/transcode/pcm.ts'

/** Paced audio at 16 kHz in messages of at most 250 ms, with the time and the samples of each. */
function paced() {
  const clock = new FakeClock(0.5)
  const sent: { at: number; pcm: Int16Array }[] = []
  const audio = new PacedAudio({ clock, rate: 16_000, mostMs: 250, fastest: 2 }, pcm =>
    sent.push({ at: clock.now(), pcm: pcm.slice() }),
  )
  return { clock, audio, sent, lengths: () => sent.map(({ pcm }) => pcm.length / 16) }
}

const ramp = (ms: number, from = 0) => Int16Array.from({ length: ms * 16 }, (_, n) => from + n)

test('audio at the pace of speech is sent at once, in the messages that come', () => {
  const { clock, audio, lengths } = paced()
  for (let n = 0; n < 5; n++) {
    audio.write(ramp(100))
    clock.advance(100)
  }
  expect(lengths()).toEqual([100, 100, 100, 100, 100])
})

test('audio that comes at once is joined, complete and in order, and never faster than allowed', () => {
  const { clock, audio, sent } = paced()
  const pcm = ramp(1_000)
  for (let at = 0; at < pcm.length; at += 1_600) audio.write(pcm.subarray(at, at + 1_600))
  clock.advance(1_000)
  expect(concat(sent.map(each => each.pcm))).toEqual(pcm)
  expect(audio.sentMs).toBe(1_000)
  for (const [index, { at }] of sent.slice(1).entries()) {
    const before = sent[index]!
    expect(at - before.at).toBeGreaterThanOrEqual(before.pcm.length / 16 / 2)
  }
  for (const { pcm: piece } of sent) expect(piece.length / 16).toBeLessThanOrEqual(250)
})

test('what waits is a copy, and is dropped with the end', () => {
  const { clock, audio, sent } = paced()
  const buffer = ramp(100, 1)
  audio.write(buffer)
  audio.write(buffer)
  buffer.fill(0)
  clock.advance(100)
  expect(sent.map(({ pcm }) => pcm[0])).toEqual([1, 1])
  audio.write(buffer)
  audio.write(buffer)
  audio.close()
  clock.advance(1_000)
  expect(sent.length).toBeLessThanOrEqual(3)
  expect(clock.pending).toBe(0)
})
