import type { RequestListener } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { Mp3Maker, ScriptedService, tone, tones } from '../../../simulator/index.ts'
import {
  examine,
  type Row,
  renderRows,
  rowsExitCode,
  STATEMENTS,
} from '../../../src/cli/conformance/conform.ts'
import type { Probe } from '../../../src/cli/conformance/evidence.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { answerHttp, MODEL_KEY } from '../../support/cli/model-http.ts'
import { modelService } from '../../support/cli/model-service.ts'

/** Triggered in the library itself: no server can break them. */
const UNBREAKABLE = ['6-10']

let maker: Mp3Maker

beforeAll(async () => {
  maker = await Mp3Maker.create()
})

async function examined(...faults: string[]): Promise<Row[]> {
  await using service = await modelService(maker, ...faults)
  return await rowsOf(service.url)
}

/** The findings for a service that responds at once. */
function rowsOf(base: string, more: Partial<Probe> = {}): Promise<Row[]> {
  return examine({
    base,
    apiKey: MODEL_KEY,
    source: 'en-us',
    target: 'es-es',
    text: 'good morning',
    speech: 'buenos días',
    pcm: tone(440, 900),
    pace: 0,
    patienceMs: 1_500,
    quietMs: 100,
    clock: systemClock,
    ...more,
  })
}

function broken(rows: readonly Row[]): string[] {
  return rows.filter(({ status }) => status === 'does not hold').map(({ id }) => id)
}

describe.concurrent('conform', () => {
  test('all statements hold for a conforming service', async () => {
    const rows = await examined()
    expect(rows.filter(({ status }) => status !== 'holds')).toEqual([])
    expect(rows.length).toBe(STATEMENTS.length)
    expect(rowsExitCode(rows)).toBe(0)
    expect(renderRows(rows).at(-1)).toBe(`${rows.length} hold, 0 do not hold, 0 not shown`)
  })

  test('all statements hold for a service that is ready at once', async () => {
    const rows = await examined('warm')
    expect(rows.filter(({ status }) => status !== 'holds')).toEqual([])
    expect(rows.find(({ id }) => id === '3-3')?.found).toBe('start arrived before a fragment could be sent')
  })

  test('all statements hold for a service that sends endSynth long after the last piece of a voice', async () => {
    const rows = await examined('late end')
    expect(rows.filter(({ status }) => status !== 'holds')).toEqual([])
  })

  test.each([
    ['mute before start', 'not shown', 'a fragment before start gets no answer'],
    ['ends before start', 'holds', 'a fragment before start is an error'],
  ])('3-3 with the option %s: %s', async (how, status, found) => {
    const rows = await examined(how)
    expect(rows.find(({ id }) => id === '3-3')).toMatchObject({ status, found })
    expect(broken(rows)).toEqual([])
  })

  test('the scripted service: confirms its features and reports disabled ones', async () => {
    const http: RequestListener = (request, response) =>
      void answerHttp(request, response, () => false, maker)
    const pcm = Int16Array.from([...tone(440, 900), ...new Int16Array(16_000)])
    const options = { answer: tones(), apiKey: MODEL_KEY }
    await using complete = await ScriptedService.listen({ ...options, http })
    const rows = await rowsOf(complete.url, { pcm })
    expect(rows.filter(({ status }) => status !== 'holds').map(({ id }) => id)).toEqual(['2.4-3', '6-2'])
    await using bare = await ScriptedService.listen(options)
    const found = await rowsOf(bare.url, { pcm })
    expect(broken(found)).toEqual(['2.4-3', '2.5-1', '4.1-1', '4.2-1', '7-1'])
    expect(found.filter(({ id }) => /^5\.1-[12]/.test(id)).map(({ status }) => status)).toEqual([
      'not shown',
      'not shown',
    ])
  })

  test('with an unreachable service, no statement holds and none is broken', async () => {
    const service = await modelService(maker)
    await service[Symbol.asyncDispose]()
    const rows = await rowsOf(service.url, { pcm: tone(440, 100), patienceMs: 50, quietMs: 10 })
    expect(broken(rows)).toEqual([])
    expect(rows.filter(({ status }) => status === 'holds')).toEqual([])
    expect(rowsExitCode(rows)).toBe(1)
  })

  test('statements have unique numbers, in the order of the document', () => {
    const ids = STATEMENTS.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect([...new Set(ids.map(id => id[0]))]).toEqual(['2', '3', '4', '5', '6', '7'])
  })

  test.each(STATEMENTS.filter(({ id }) => !UNBREAKABLE.includes(id)).map(({ id, text }) => [id, text]))(
    'a service that breaks %s (%s) fails only this row',
    async id => {
      const rows = await examined(id)
      expect(broken(rows)).toEqual([id])
      expect(rowsExitCode(rows)).toBe(1)
      expect(renderRows(rows).filter(line => line.startsWith(`✗ ${id} `))).toHaveLength(1)
    },
  )
})
