import { expect, test } from 'vitest'
import { textPieces } from '../../../../src/service/engines/engine.ts'
import { EnergyEndpointer, type Stretch } from '../../../../src/service/engines/wire/energy-endpointer.ts'
import { joined, pause, recording } from '../../../support/engines/recordings.ts'
import { sine } from '../../../support/transcode/tone.ts'

function cut(pcm: Int16Array, slice = 960, options = { pauseMs: 400, maxUtteranceMs: 15_000 }): Stretch[] {
  const found: Stretch[] = []
  const endpointer = new EnergyEndpointer(options, stretch => found.push(stretch))
  for (let at = 0; at < pcm.length; at += slice) endpointer.write(pcm.subarray(at, at + slice))
  endpointer.finish()
  return found
}

test('finds sentences of a human voice, separated by pauses', () => {
  const pcm = joined(pause(500), recording(2), pause(900), recording(5), pause(900))
  const found = cut(pcm)
  expect(found.length).toBe(2)
  const [first, second] = found as [Stretch, Stretch]
  expect(first.startMs).toBeLessThan(900)
  expect(first.endMs).toBeGreaterThan(3_000)
  expect(second.startMs).toBeGreaterThanOrEqual(first.endMs)
  expect(second.startMs).toBeGreaterThan(3_900)
})

test('gives the same result for all fragment sizes, with correct positions', () => {
  const pcm = joined(pause(500), recording(2), pause(900), recording(5), pause(900))
  const whole = cut(pcm, pcm.length)
  for (const slice of [100, 320, 961]) expect(cut(pcm, slice)).toEqual(whole)
  for (const { pcm: said, startMs, endMs } of whole) {
    expect(Math.abs(said.length / 16 - (endMs - startMs))).toBeLessThanOrEqual(1)
    expect(said).toEqual(pcm.slice(startMs * 16, startMs * 16 + said.length))
  }
})

test('ignores silence, soft noise and clicks', () => {
  const click = pause(2_000)
  click.fill(20_000, 8_000, 8_400)
  for (const pcm of [new Int16Array(32_000), pause(3_000), click]) expect(cut(pcm)).toEqual([])
})

test('cuts speech without a pause where it is soft, or anywhere if necessary', () => {
  const soft = sine(400, 100, 300)
  const words = joined(sine(400, 1_100), soft, sine(400, 1_100), pause(600))
  expect(cut(words, 320, { pauseMs: 400, maxUtteranceMs: 1_000 }).length).toBe(2)
  const endless = joined(pause(100), sine(400, 3_500), pause(600))
  const parts = cut(endless, 320, { pauseMs: 400, maxUtteranceMs: 1_000 })
  expect(parts.length).toBeGreaterThan(1)
  for (const [index, next] of parts.slice(1).entries())
    expect(next.startMs).toBeGreaterThanOrEqual(parts[index]!.endMs)
})

test('cuts a text after sentences, commas, blanks, or anywhere', () => {
  expect(textPieces('', 10)).toEqual([])
  expect(textPieces('Uno dos. Tres cuatro.', 12)).toEqual(['Uno dos.', 'Tres cuatro.'])
  expect(textPieces('uno dos, tres cuatro', 12)).toEqual(['uno dos,', 'tres cuatro'])
  expect(textPieces('uno dos tres', 8)).toEqual(['uno dos', 'tres'])
  expect(textPieces('unodostres', 4)).toEqual(['unod', 'ostr', 'es'])
})
