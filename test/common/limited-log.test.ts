import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { type Logger, limitedLog } from '../../src/common/log.ts'

function recorded() {
  const lines: { fields: object; message: string }[] = []
  const note = (fields: object, message: string) => void lines.push({ fields, message })
  const log: Logger = { debug: note, info: note, warn: note, error: note }
  const clock = new FakeClock()
  return { lines, clock, log: limitedLog(log, clock) }
}

test('limits lines with the same message and reports the number of suppressed lines', () => {
  const { lines, clock, log } = recorded()
  for (let n = 0; n < 1_000; n++) log.warn({ n }, 'refused')
  expect(lines).toHaveLength(50)
  clock.advance(1_000)
  log.warn({ n: 'later' }, 'refused')
  expect(lines.at(-1)).toEqual({ fields: { n: 'later', suppressed: 950 }, message: 'refused' })
  log.warn({ n: 'next' }, 'refused')
  expect(lines.at(-1)!.fields).toEqual({ n: 'next' })
})

test('limits each message separately and never limits errors', () => {
  const { lines, log } = recorded()
  for (let n = 0; n < 200; n++) log.info({}, 'refused')
  log.info({}, 'session ready')
  expect(lines.at(-1)!.message).toBe('session ready')
  for (let n = 0; n < 200; n++) log.error({}, 'engine failed')
  expect(lines.filter(({ message }) => message === 'engine failed')).toHaveLength(200)
})
