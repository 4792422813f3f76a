import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { billed } from '../../../../src/service/engines/usage/billing.ts'
import { OverBudgetError } from '../../../../src/service/engines/usage/engine-meter.ts'
import { EngineUsage } from '../../../../src/service/engines/usage/engine-usage.ts'
import { UsageLedger } from '../../../../src/service/usage-ledger.ts'

const HOUR_MS = 3_600_000
const usd = { currency: 'USD' }

let clock: FakeClock
let ledger: UsageLedger
let lines: [string, object][]
let usage: EngineUsage

beforeEach(() => {
  clock = new FakeClock()
  ledger = new UsageLedger(clock, 1_767_323_045_000)
  lines = []
  const line = (fields: object, message: string) => void lines.push([message, fields])
  const log = { debug: line, info: line, warn: line, error: line }
  usage = new EngineUsage({ clock, wallClock: () => clock.now(), log, ledger })
})

describe('the meter of an engine', () => {
  it('bills audio by the minute, on the side that the engine is paid for', () => {
    const ears = usage.meter('transcription', 'ears', { price: { ...usd, perMinute: 0.06 } })
    const mouth = usage.meter('synthesis', 'mouth', { price: { ...usd, perMinute: 0.6 } })
    for (let frame = 0; frame < 500; frame++) ears.audio('in', 60)
    mouth.audio('out', 10_000)
    mouth.audio('in', 10_000)
    expect(ears.figures.cost).toEqual({ currency: 'USD', amount: expect.closeTo(0.03, 9) })
    expect(ears.figures.audioSeconds).toEqual({ in: 30, out: 0 })
    expect(mouth.figures.cost?.amount).toBeCloseTo(0.1, 9)
  })

  it('bills audio that is not a full second yet', () => {
    const ears = usage.meter('transcription', 'ears', { price: { ...usd, perMinute: 60 } })
    ears.audio('in', 400)
    expect(ears.figures.cost?.amount).toBeCloseTo(0.4, 9)
    ears.flush()
    expect(ears.figures.cost?.amount).toBeCloseTo(0.4, 9)
  })

  it('bills characters and reported tokens', () => {
    const price = { ...usd, perMillionCharacters: 20, perMillionInputTokens: 2, perMillionOutputTokens: 8 }
    const words = usage.meter('translation', 'words', { price })
    words.text('a'.repeat(1_000))
    words.reported({ inputTokens: 500, outputTokens: 250, renewals: 1 })
    expect(words.figures.cost?.amount).toBeCloseTo(0.02 + 0.001 + 0.002, 9)
    expect(words.figures).toMatchObject({ characters: 1_000, tokens: { in: 500, out: 250 }, renewals: 1 })
  })

  it('has no cost without a price', () => {
    const ears = usage.meter('transcription', 'ears')
    ears.audio('in', 60_000)
    expect(ears.figures.cost).toBeUndefined()
  })

  it('stops at its budget, says so once, and works again a day later', () => {
    const billing = { price: { ...usd, perMinute: 1 }, budget: { perDay: 2 } }
    const ears = usage.meter('transcription', 'ears', billing)
    expect(ears.audio('in', 60_000)).toBe(true)
    ears.assertBudget()
    expect(ears.audio('in', 60_000)).toBe(false)
    expect(() => ears.assertBudget()).toThrow(OverBudgetError)
    expect(() => ears.assertBudget()).toThrow('ears: its budget is used up')
    expect(ears.figures).toMatchObject({ overBudget: true, requests: { over_budget: 2 } })
    expect(lines).toEqual([['engine over budget', { kind: 'transcription', engine: 'ears', perDay: 2 }]])
    clock.advance(24 * HOUR_MS + HOUR_MS)
    ears.assertBudget()
    expect(ears.figures.overBudget).toBe(false)
    expect(lines.map(([message]) => message)).toEqual(['engine over budget', 'engine within budget again'])
  })

  it('limits minutes without a price, and counts text as the time it takes to speak it', () => {
    const words = usage.meter('translation', 'words', { budget: { minutesPerDay: 1 } })
    words.text('a'.repeat(15 * 59))
    words.assertBudget()
    words.text('a'.repeat(15))
    expect(() => words.assertBudget()).toThrow(OverBudgetError)
  })

  it('counts what another process of the same ledger has spent', () => {
    const billing = { price: { ...usd, perMinute: 1 }, budget: { perDay: 2 } }
    const ears = usage.meter('transcription', 'ears', billing)
    const slice = Math.floor(ledger.now / 900_000)
    ledger.settle(new Map([['engine: transcription ears, USD', new Map([[slice, 2e6]])]]), new Map())
    expect(() => ears.assertBudget()).toThrow(OverBudgetError)
  })

  it('counts first results up to each bound', () => {
    const words = usage.meter('translation', 'words')
    for (const ms of [40, 250, 250, 20_000]) words.firstResult(ms)
    const { upTo, sum, count } = words.figures.firstResult
    expect(upTo).toEqual([1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3])
    expect(sum).toBeCloseTo(20.54, 9)
    expect(count).toBe(4)
  })

  it('survives the way from process to process', () => {
    const ears = usage.meter('transcription', 'ears', { price: { ...usd, perMinute: 1 } })
    ears.audio('in', 90_000)
    expect(JSON.parse(JSON.stringify(ears.figures))).toEqual(ears.figures)
  })
})

describe('the usage of engines', () => {
  it('tells engines of the same name apart', () => {
    usage.meter('transcription', 'openai')
    usage.meter('translation', 'openai')
    usage.meter('transcription', 'openai')
    expect(usage.figures.map(({ kind, engine }) => `${kind} ${engine}`)).toEqual([
      'transcription openai',
      'translation openai',
      'transcription openai-2',
    ])
  })

  it('knows who serves instead of whom, since the first time', () => {
    const since = clock.now()
    usage.replaced('synthesis', 'voice', 'espeak', 'failed')
    clock.advance(1_000)
    usage.replaced('synthesis', 'voice', 'other', 'failed')
    expect(usage.standIns).toEqual([
      { kind: 'synthesis', engine: 'voice', instead: 'other', why: 'failed', since },
    ])
    expect(usage.standIn('synthesis', 'voice')).toBe('other')
    expect(usage.standIn('translation', 'voice')).toBeUndefined()
    usage.served('synthesis', 'voice')
    usage.served('synthesis', 'voice')
    expect(usage.standIns).toEqual([])
    expect(lines.map(([message]) => message)).toEqual(['engine serves again'])
  })
})

describe('price and budget in the settings', () => {
  const schema = billed(z.strictObject({ engine: z.literal('x') }))

  it('have a default currency', () => {
    expect(schema.parse({ engine: 'x', price: { perMinute: 0.1 } })).toEqual({
      engine: 'x',
      price: { currency: 'USD', perMinute: 0.1 },
    })
  })

  it.each([
    [{ budget: { perDay: 5 } }, 'a budget of money requires a price'],
    [{ price: { perMinute: -1 } }, '>=0'],
    [{ price: { perHour: 1 } }, 'perHour'],
    [{ price: { currency: 'dollar', perMinute: 1 } }, 'a currency like USD'],
    [{ budget: { minutesPerDay: 0 } }, '>0'],
  ])('reject %j', (part, reason) => {
    expect(() => schema.parse({ engine: 'x', ...part })).toThrow(reason)
  })
})
