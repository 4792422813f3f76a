import { expect, test } from 'vitest'
import { Observer } from '../../../src/core/model/events.ts'

const press = (digit: string) => ({ room: 'r', participant: 'anna', digit })

test('an observer receives its events in order until it unsubscribes', () => {
  const observer = new Observer()
  const seen: string[] = []
  const subscription = observer.on('dtmf', ({ digit }) => seen.push(digit))
  observer.emit('level', { room: 'r', participant: 'anna', level: 0.5 })
  for (const digit of '12') observer.emit('dtmf', press(digit))
  subscription[Symbol.dispose]()
  subscription[Symbol.dispose]()
  observer.emit('dtmf', press('3'))
  expect(seen).toEqual(['1', '2'])
})

test('an error in one listener is reported and does not affect the others', () => {
  const errors: unknown[] = []
  const observer = new Observer({ onListenerError: error => errors.push(error) })
  const seen: string[] = []
  const mine = new Error('mine')
  observer.on('dtmf', () => {
    throw mine
  })
  observer.on('dtmf', ({ digit }) => seen.push(digit))
  observer.emit('dtmf', press('1'))
  expect(seen).toEqual(['1'])
  expect(errors).toEqual([mine])
})

test('reports if an event has listeners', () => {
  const observer = new Observer()
  expect(observer.wants('level')).toBe(false)
  const subscription = observer.on('level', () => {})
  expect(observer.wants('level')).toBe(true)
  expect(observer.wants('caption')).toBe(false)
  subscription[Symbol.dispose]()
  expect(observer.wants('level')).toBe(false)
})

test('the same function can subscribe twice, and each subscription ends separately', () => {
  const observer = new Observer()
  let count = 0
  const listener = () => count++
  const first = observer.on('dtmf', listener)
  observer.on('dtmf', listener)
  observer.emit('dtmf', press('1'))
  expect(count).toBe(2)
  first[Symbol.dispose]()
  observer.emit('dtmf', press('2'))
  expect(count).toBe(3)
})

test('a listener removed during an event is not called; one added waits for the next event', () => {
  const observer = new Observer()
  const seen: string[] = []
  const first = observer.on('dtmf', ({ digit }) => {
    seen.push(`first ${digit}`)
    first[Symbol.dispose]()
    observer.on('dtmf', event => seen.push(`late ${event.digit}`))
  })
  observer.emit('dtmf', press('1'))
  observer.emit('dtmf', press('2'))
  expect(seen).toEqual(['first 1', 'late 2'])
})
