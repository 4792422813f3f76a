import { expect, it } from 'vitest'
import { EchoGuard } from '../../../../src/bridges/discord/captions/echo-guard.ts'

it('knows again what was spoken, as a recogniser hears it', () => {
  const guard = new EchoGuard()
  guard.spoke('Good morning, everybody! How are you?', 0)
  expect(guard.isEcho('good morning everybody how are you', 3_000)).toBe(true)
  expect(guard.isEcho('good morning every body how are u', 3_000)).toBe(true)
})

it('takes an answer for an answer', () => {
  const guard = new EchoGuard()
  guard.spoke('Good morning, everybody! How are you?', 0)
  expect(guard.isEcho('good morning I am fine thank you', 3_000)).toBe(false)
  expect(guard.isEcho('', 3_000)).toBe(false)
})

it('lets people repeat short words, and anything after a while', () => {
  const guard = new EchoGuard()
  guard.spoke('Yes, thanks.', 0)
  guard.spoke('The meeting is on Tuesday.', 0)
  expect(guard.isEcho('yes thanks', 1_000)).toBe(false)
  expect(guard.isEcho('the meeting is on tuesday', 14_999)).toBe(true)
  expect(guard.isEcho('the meeting is on tuesday', 15_000)).toBe(false)
})
