import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { awaitProof, vouchFor, vouchForGuest } from '../../../src/net/request-guard.ts'

const request = () => ({}) as IncomingMessage

test('notifies the listener of a request once, and of no other request', () => {
  const one = request()
  const other = request()
  const heard: string[] = []
  const listener = (name: string) => ({ known: () => void heard.push(name), guest: () => false })
  awaitProof(one, listener('one'))
  awaitProof(other, listener('other'))
  vouchFor(request())
  expect(heard).toEqual([])
  vouchFor(one)
  vouchFor(one)
  expect(heard).toEqual(['one'])
  // Without a listener, guests are unlimited.
  expect([vouchForGuest(other), vouchForGuest(one), vouchForGuest(request())]).toEqual([false, true, true])
})
