import { expect, it } from 'vitest'
import { EchoGuard } from '../../../../src/bridges/discord/captions/echo-guard.ts'

it('knows again what was spoken, as a recogniser hears it', () => {
  const guard = new EchoGuard()
  guard.spoke('Good morning, everybody! How are you?', 'en-us', 0)
  expect(guard.isEcho('good morning everybody how are you', 'en-gb', 3_000)).toBe(true)
  expect(guard.isEcho('good morning every body how are u', 'en-gb', 3_000)).toBe(true)
})

it('takes an answer for an answer', () => {
  const guard = new EchoGuard()
  guard.spoke('Good morning, everybody! How are you?', 'en-us', 0)
  expect(guard.isEcho('good morning I am fine thank you', 'en-gb', 3_000)).toBe(false)
  expect(guard.isEcho('', 'en-gb', 3_000)).toBe(false)
})

it('lets people repeat short words, and anything after a while', () => {
  const guard = new EchoGuard()
  guard.spoke('Yes, thanks.', 'en-us', 0)
  guard.spoke('The meeting is on Tuesday.', 'en-us', 0)
  expect(guard.isEcho('yes thanks', 'en-gb', 1_000)).toBe(false)
  expect(guard.isEcho('the meeting is on tuesday', 'en-gb', 14_999)).toBe(true)
  expect(guard.isEcho('the meeting is on tuesday', 'en-gb', 15_000)).toBe(false)
})

it('is never mistaken for words in another language', () => {
  const guard = new EchoGuard()
  guard.spoke('Restaurant, hotel, taxi', 'en-us', 0)
  expect(guard.isEcho('restaurant hotel taxi', 'fr-fr', 1_000)).toBe(false)
  expect(guard.isEcho('restaurant hotel taxi', 'en-us', 1_000)).toBe(true)
})
