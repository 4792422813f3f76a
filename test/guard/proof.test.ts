import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { awaitProof, vouchFor } from '../../src/guard/proof.ts'

const request = () => ({}) as IncomingMessage

test('whoever waits for a request to be vouched for hears of it, once, and of no other', () => {
  const one = request()
  const other = request()
  const heard: string[] = []
  awaitProof(one, () => heard.push('one'))
  awaitProof(other, () => heard.push('other'))
  vouchFor(request())
  expect(heard).toEqual([])
  vouchFor(one)
  vouchFor(one)
  expect(heard).toEqual(['one'])
})
