import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '../../../../src/common/clock.ts'
import { UsageFile, usagePath } from '../../../../src/service/server/keys/usage-file.ts'
import { SLICE_MS } from '../../../../src/service/usage-ledger.ts'
import { THEN } from '../../../support/service/key-date.ts'
import { keyFilePath } from '../../../support/service/key-files.ts'

const NOW = THEN.getTime()
const SLICE = Math.floor(NOW / SLICE_MS)

test('is located next to the key file', () => {
  expect(usagePath('/etc/dragoman.keys.json')).toBe('/etc/dragoman.keys.usage.json')
  expect(usagePath('keys')).toBe('keys.usage.json')
})

test('adds up usage, removes expired usage, and dates future usage to now', async () => {
  const path = usagePath(await keyFilePath())
  const file = new UsageFile(path, systemClock)
  const usage = (slices: [number, number][]) => new Map([['desk', new Map(slices)]])
  await file.add(
    usage([
      [SLICE - 97, 5],
      [SLICE - 96, 7],
      [SLICE, 1.4],
    ]),
    NOW,
  )
  await file.add(usage([[SLICE, 2]]), NOW)
  expect(await file.read(NOW)).toEqual(
    usage([
      [SLICE - 96, 7],
      [SLICE, 3],
    ]),
  )
  expect(await file.read(NOW - SLICE_MS)).toEqual(
    usage([
      [SLICE - 96, 7],
      [SLICE - 1, 3],
    ]),
  )
  expect(await file.read(NOW + 200 * SLICE_MS)).toEqual(new Map())
})

test('any number of services can add usage concurrently without losses', async () => {
  const path = usagePath(await keyFilePath())
  const services = Array.from({ length: 8 }, () => new UsageFile(path, systemClock))
  const fresh = new Map([['desk', new Map([[SLICE, 100]])]])
  await Promise.all(services.flatMap(file => [file.add(fresh, NOW), file.add(fresh, NOW)]))
  expect((await services[0]!.read(NOW)).get('desk')).toEqual(new Map([[SLICE, 1_600]]))
})

test('reads any content or throws a SyntaxError', async () => {
  const path = usagePath(await keyFilePath())
  const file = new UsageFile(path, systemClock)
  const near = fc.record({
    version: fc.constantFrom(1, 2, '1'),
    keys: fc.dictionary(
      fc.string(),
      fc.dictionary(fc.oneof(fc.string(), fc.constant(THEN.toISOString())), fc.anything()),
    ),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json(),
        fc.string(),
        near.map(value => JSON.stringify(value)),
      ),
      async text => {
        await writeFile(path, text)
        const read = await file.read(NOW).catch(error => error)
        expect(read instanceof Map || read instanceof SyntaxError).toBe(true)
      },
    ),
    { numRuns: 300, seed: 20_261_121 },
  )
})
