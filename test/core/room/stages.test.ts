import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { STAGES, stagesOf } from '../../../src/core/model/latency-stages.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

type Rooms = Awaited<ReturnType<typeof rooms>>

const sum = (stages: object) => Object.values(stages).reduce((total: number, ms: number) => total + ms, 0)

describe('stages', () => {
  test('separate parts that arrived separately, and only those', () => {
    const apart = { textAt: 500, translationAt: 560, voiceAt: 700 }
    expect(stagesOf(apart, 100, 730)).toEqual({
      recognitionMs: 400,
      translationMs: 60,
      synthesisMs: 140,
      bridgeMs: 30,
    })
    expect(stagesOf({ voiceAt: 700 }, 100, 730)).toEqual({ serviceMs: 600, bridgeMs: 30 })
    const whole = { textAt: 700, translationAt: 700, voiceAt: 700 }
    expect(stagesOf(whole, 100, 730)).toEqual({ serviceMs: 600, bridgeMs: 30 })
    const textFirst = { textAt: 500, translationAt: 700, voiceAt: 700 }
    expect(stagesOf(textFirst, 100, 730)).toEqual({ recognitionMs: 400, serviceMs: 200, bridgeMs: 30 })
    const voiceLast = { textAt: 500, translationAt: 500, voiceAt: 700 }
    expect(stagesOf(voiceLast, 100, 730)).toEqual({ serviceMs: 400, synthesisMs: 200, bridgeMs: 30 })
  })

  test("are the service's own times, with the rest as network time", () => {
    const timing = { recognitionMs: 350, translationMs: 50, synthesisMs: 80 }
    const whole = { textAt: 600, translationAt: 600, voiceAt: 600, timing }
    expect(stagesOf(whole, 100, 620)).toEqual({ ...timing, networkMs: 20, bridgeMs: 20 })
    // The service's end of speech can be a fragment earlier than ours.
    expect(stagesOf({ ...whole, voiceAt: 570 }, 100, 620)).toEqual({
      ...timing,
      recognitionMs: 340,
      networkMs: 0,
      bridgeMs: 50,
    })
  })

  test.each([
    { recognitionMs: 9_000, translationMs: 50, synthesisMs: 80 },
    { recognitionMs: 0, translationMs: 501, synthesisMs: 0 },
    { translationMs: 50, synthesisMs: 80 },
  ])('ignore implausible times: %j', timing => {
    expect(stagesOf({ voiceAt: 600, timing }, 100, 620)).toEqual({ serviceMs: 500, bridgeMs: 20 })
  })

  test('consist of the bridge time alone if the end of speech is unknown', () => {
    const never = Number.NEGATIVE_INFINITY
    expect(stagesOf({ textAt: 500, voiceAt: 600 }, never, 650)).toEqual({ bridgeMs: 50 })
    expect(stagesOf({ textAt: 500, voiceAt: 600 }, Number.NaN, 650)).toEqual({ bridgeMs: 50 })
  })

  test('add up to the total, none below 0, for any arrivals', () => {
    const at = fc.option(fc.integer({ min: -100, max: 2_000 }), { nil: undefined })
    const ms = fc.double({ min: 0, max: 3_000, noNaN: true })
    const timing = fc.option(fc.record({ recognitionMs: ms, translationMs: ms, synthesisMs: ms }), {
      nil: undefined,
    })
    fc.assert(
      fc.property(
        at,
        at,
        fc.nat(1_000),
        fc.nat(500),
        timing,
        (textAt, translationAt, voiceAt, wait, told) => {
          const stages = stagesOf({ textAt, translationAt, voiceAt, timing: told }, 0, voiceAt + wait)
          expect(sum(stages)).toBeCloseTo(voiceAt + wait, 6)
          for (const stage of Object.values(stages)) expect(stage).toBeGreaterThanOrEqual(0)
        },
      ),
      { seed: 7 },
    )
  })
})

describe('in a room', () => {
  let r: Rooms
  afterEach(() => r.relay.close())

  test('are reported with the start of a translation, and counted', async () => {
    r = await rooms()
    r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    await r.run(100)
    r.say('anna', sine(440, 1_000))
    await r.run(1_300)
    const { sink } = r.connection('en-us', 'es-es')
    sink.result({ utterance: '1', final: true, text: 'en-us 1' })
    await r.run(100)
    sink.result({ utterance: '1', final: true, text: 'en-us 1', translation: 'es-es 1' })
    await r.run(60)
    r.answer('en-us', 'es-es', 1_800, 1_000)
    await r.run(500)
    const [begun] = r.utterances
    const { recognitionMs = 0, translationMs, synthesisMs, bridgeMs = -1 } = begun?.stages ?? {}
    expect(recognitionMs).toBeGreaterThanOrEqual(280)
    expect(recognitionMs).toBeLessThanOrEqual(320)
    expect([translationMs, synthesisMs]).toEqual([100, 60])
    expect(bridgeMs).toBeLessThanOrEqual(20)
    expect(sum(begun?.stages ?? {})).toBeCloseTo(begun?.latencyMs ?? -1)
    const { stagesMs, speechToTranslationMs } = r.relay.metrics
    const counted = STAGES.filter(stage => stagesMs[stage].count > 0)
    expect(counted).toEqual(['recognition', 'translation', 'synthesis', 'bridge'])
    const total = STAGES.reduce((all, stage) => all + stagesMs[stage].sum, 0)
    expect(total).toBeCloseTo(speechToTranslationMs.sum)
  })
})
