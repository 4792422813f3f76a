import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import {
  expectAuthentication,
  markAuthenticated,
  rejectsStranger,
  vouchForGuest,
} from '../../src/net/request-guard.ts'

const request = () => ({}) as IncomingMessage

test('notifies the listener of a request once, and of no other request', () => {
  const one = request()
  const other = request()
  const heard: string[] = []
  const listener = (name: string) => ({
    known: () => void heard.push(name),
    guest: () => false,
    stranger: () => true,
  })
  expectAuthentication(one, listener('one'))
  expectAuthentication(other, listener('other'))
  markAuthenticated(request())
  expect(heard).toEqual([])
  markAuthenticated(one)
  markAuthenticated(one)
  expect(heard).toEqual(['one'])
  // Without a listener, guests and strangers are unlimited.
  expect([vouchForGuest(other), vouchForGuest(one), vouchForGuest(request())]).toEqual([false, true, true])
  expect([rejectsStranger(other), rejectsStranger(one), rejectsStranger(request())]).toEqual([
    true,
    false,
    false,
  ])
})
