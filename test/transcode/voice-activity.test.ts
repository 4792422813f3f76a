import { describe, expect, test } from 'vitest'
import { VoiceActivity } from '../../src/transcode/voice-activity.ts'

/** The start time: between two milliseconds, as on a real clock, and exact in binary. */
const START = 1_723.375

/** Adds `ms` of one level, frame by frame; returns the number of loud frames. */
function hearing() {
  const activity = new VoiceActivity()
  let now = START
  const hear = (level: number, ms: number) => {
    let loud = 0
    for (const end = now + ms; now < end; now += 20) if (activity.frame(level, now)) loud++
    return loud
  }
  return { activity, hear, now: () => now, ended: () => activity.endedAt(now) }
}

describe('speech detection', () => {
  test('silence and line noise are not speech', () => {
    for (const level of [0, 8, 60, 119]) {
      const { activity, hear } = hearing()
      expect(hear(level, 5_000)).toBe(0)
      expect(activity.speaking).toBe(false)
    }
  })

  test('speech is, quiet or loud, with or without noise under it', () => {
    for (const [noise, voice] of [
      [0, 150],
      [0, 10_000],
      [60, 1_000],
      [300, 3_000],
    ] as const) {
      const { activity, hear } = hearing()
      hear(noise, 2_000)
      expect(hear(voice, 400)).toBe(20)
      expect(activity.speaking).toBe(true)
    }
  })

  test('constant noise becomes the floor: it counts as speech for a few seconds only', () => {
    const { hear } = hearing()
    hear(10, 1_000)
    expect(hear(300, 1_000)).toBe(50)
    hear(300, 20_000)
    expect(hear(300, 2_000)).toBe(0)
  })

  test('breath under a loud voice is not', () => {
    const { hear } = hearing()
    hear(10, 500)
    hear(8_000, 1_000)
    expect(hear(400, 200)).toBe(0)
  })

  test('there is no end before any speech', () => {
    const { hear, ended } = hearing()
    hear(10, 1_000)
    expect(ended()).toBe(Number.NEGATIVE_INFINITY)
  })

  test('the end is the last loud frame, known after half the hang time and kept', () => {
    const { activity, hear, ended } = hearing()
    hear(10, 500)
    hear(3_000, 1_000)
    expect(ended()).toBe(Number.NEGATIVE_INFINITY)
    hear(10, 100)
    expect(activity.speaking).toBe(true)
    expect(ended()).toBe(START + 1_480)
    hear(10, 120)
    expect(activity.speaking).toBe(false)
    hear(10, 2_000)
    expect(ended()).toBe(START + 1_480)
  })

  test('a short pause is not an end', () => {
    const { activity, hear, ended } = hearing()
    hear(10, 500)
    hear(3_000, 1_000)
    hear(10, 160)
    hear(3_000, 500)
    expect(activity.speaking).toBe(true)
    expect(ended()).toBe(Number.NEGATIVE_INFINITY)
    hear(10, 300)
    expect(ended()).toBe(START + 2_140)
  })
})

describe('the speech interval of a text', () => {
  test('is the completed one, or the current one while the text can still change', () => {
    const { activity, hear, now } = hearing()
    hear(0, 1_000)
    expect(activity.stretch(now(), true)).toBeUndefined()
    hear(5_000, 600)
    // No interval is complete yet, so the text covers this one, final or not.
    expect(activity.stretch(now(), false)).toEqual({ fromMs: START + 1_000, toMs: START + 1_600 })
    expect(activity.stretch(now(), true)).toEqual({ fromMs: START + 1_000, toMs: START + 1_600 })
    hear(0, 140)
    expect(activity.stretch(now(), true)).toEqual({ fromMs: START + 1_000, toMs: START + 1_580 })
    hear(0, 860)
    expect(activity.stretch(now(), false)).toEqual({ fromMs: START + 1_000, toMs: START + 1_580 })
    hear(5_000, 400)
    expect(activity.stretch(now(), true)).toEqual({ fromMs: START + 1_000, toMs: START + 1_580 })
    expect(activity.stretch(now(), false)).toEqual({ fromMs: START + 2_600, toMs: START + 3_000 })
  })
})
