import { describe, expect, test } from 'vitest'
import { type ConversationReport, converse } from '../../bench/conversation.ts'
import { recordings, steepest } from '../support/transcode/speech-signal.ts'

const MINUTE = 60_000
/** Real time for half an hour of simulated time on a busy machine. */
const PATIENCE_MS = 400_000

/** No one hears a loudspeaker: searching for echo would take nearly half of the work. */
const QUIET = { echoSuppression: false }

const speech = recordings()

/** Waiting times of the translations that arrived between two moments, until they started (ms), sorted. */
function waits({ told }: ConversationReport, fromMs = 0, toMs = Number.POSITIVE_INFINITY): number[] {
  return told
    .filter(({ cameAt, begunAt }) => begunAt !== undefined && cameAt >= fromMs && cameAt < toMs)
    .map(({ begunAt, cameAt }) => begunAt! - cameAt)
    .toSorted((a, b) => a - b)
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const at = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)]!

/** Mean lag of all listeners between two moments, counting seconds without translation as 0 (ms). */
function meanLag({ lag }: ConversationReport, fromMs: number, toMs: number): number {
  const points = [...lag.values()].flat().filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
  return points.reduce((sum, { lagMs }) => sum + lagMs, 0) / ((lag.size * (toMs - fromMs)) / 1_000)
}

describe('half an hour of talk whose translations are 1.4 times as long', { timeout: PATIENCE_MS }, () => {
  test('at 55 % of the time: no word is dropped, and the end is no later than the start', async () => {
    let heardMs = 0
    let sharpest = 0
    const report = await converse({
      minutes: 30,
      share: 0.55,
      speech,
      relay: { ...QUIET, normalizeLoudness: false },
      hear: (_listener, frames) => {
        heardMs += frames.length / 16
        sharpest = Math.max(sharpest, steepest(frames))
      },
    })
    const { told, lag } = report
    expect(report.share).toBeGreaterThan(0.54)
    expect(told.length).toBeGreaterThan(500)
    expect([report.dropped, report.starved]).toEqual([0, 0])
    expect(report.heard).toBe(told.length)
    expect(told.every(({ heardAt }) => heardAt !== undefined)).toBe(true)

    // Only what catching up omits is missing: pauses, and some periods of the voice.
    const toldMs = told.reduce((sum, { lengthMs }) => sum + lengthMs, 0)
    const expectedMs = toldMs - report.pausesTrimmedMs - report.timeCompressedMs
    expect(heardMs).toBeGreaterThan(expectedMs)
    expect(heardMs).toBeLessThan(expectedMs + told.length * 100)
    expect(report.timeCompressedMs).toBeGreaterThan(0.05 * toldMs)
    // A splice adds up to a tenth to the steepest place of the recordings; a click would be several times as steep.
    expect(sharpest).toBeLessThan(steepest(speech) * 1.15)

    // It ends with a lag of no more than 4 s, and minute 30 is like minute 1.
    expect(lag.size).toBe(2)
    for (const points of lag.values()) {
      const end = points.findLast(({ atMs }) => atMs <= 30 * MINUTE)!
      expect(end.atMs).toBeGreaterThan(29 * MINUTE)
      expect(end.lagMs).toBeLessThanOrEqual(4_000)
    }
    for (const speaker of ['anna', 'bob']) {
      const end = told.findLast(each => each.speaker === speaker)!
      expect(end.endedAt).toBeGreaterThan(29 * MINUTE)
      expect(end.begunAt! - end.cameAt).toBeLessThanOrEqual(4_000)
    }
    expect(Math.abs(meanLag(report, 25 * MINUTE, 30 * MINUTE) - meanLag(report, 0, 5 * MINUTE))).toBeLessThan(
      500,
    )
    const last = waits(report, 25 * MINUTE)
    expect(mean(last)).toBeLessThan(2_000)
    expect(at(waits(report), 0.5)).toBeLessThan(1_500)
    expect(at(waits(report), 0.95)).toBeLessThan(4_500)
  })

  test('at 85 % too; without catching up it would be lost', async () => {
    const report = await converse({ minutes: 6, share: 0.85, speech, relay: QUIET })
    expect(report.dropped).toBe(0)
    expect(at(waits(report), 0.95)).toBeLessThan(5_000)
    const without = await converse({ minutes: 6, share: 0.85, speech, relay: { ...QUIET, catchUp: false } })
    expect(without.dropped).toBeGreaterThan(0)
    expect(mean(waits(without, 4 * MINUTE))).toBeGreaterThan(3 * mean(waits(report, 4 * MINUTE)))
  })

  test('without a pause: whole utterances are dropped and counted, the oldest first, and none waits too long', async () => {
    const report = await converse({ minutes: 5, share: 1, speech, relay: { ...QUIET, maxLagMs: 6_000 } })
    const { told } = report
    const dropped = told.filter(each => each.dropped)
    expect(dropped.length).toBeGreaterThan(5)
    expect(dropped.length).toBeLessThan(told.length * 0.25)
    expect(report.dropped).toBe(dropped.length)
    // Dropped ones never started; all others were played to the end, in order.
    expect(dropped.every(({ begunAt }) => begunAt === undefined)).toBe(true)
    const kept = told.filter(each => !each.dropped)
    expect(kept.every(({ heardAt }) => heardAt !== undefined)).toBe(true)
    expect(report.heard).toBe(kept.length)
    for (const speaker of ['anna', 'bob']) {
      const begun = kept.filter(each => each.speaker === speaker).map(({ begunAt }) => begunAt!)
      expect(begun).toEqual(begun.toSorted((a, b) => a - b))
    }
    expect(waits(report).at(-1)!).toBeLessThan(6_500)
    // All captions are available.
    expect(report.captions).toBe(told.length)
  })
})
