import { describe, expect, test } from 'vitest'
import { CarrierSelection, type SelectableCarrier } from '../../../src/core/calls/dialer-policies.ts'
import type { DialRequest } from '../../../src/core/model/dialer.ts'

/** Three carriers, of which the last one places no calls; `placed` has the names of those used. */
function open(channels: readonly string[] = []) {
  const placed: string[] = []
  const carrier = (name: string, number: string, calls = true): SelectableCarrier => ({
    name,
    numbers: new Set([number]),
    limitedDialer: calls
      ? ({ refused: 1, dial: () => void placed.push(name) } as unknown as SelectableCarrier['limitedDialer'])
      : undefined,
  })
  const selection = new CarrierSelection({
    carriers: [
      carrier('twilio', '+15550000001'),
      carrier('telnyx', '+15550000002'),
      carrier('signalwire', '+15550000003', false),
    ],
    channelsOf: room => (room === 'desk' ? channels : []),
  })
  const dial = (request: Partial<DialRequest>) => {
    selection.dial({ to: '+34600111222', invitation: { room: 'desk' }, ...request })
    return placed.at(-1)
  }
  return { selection, dial }
}

describe('a call is placed by', () => {
  test('the carrier it names, whatever its number', () => {
    expect(open(['twilio']).dial({ carrier: 'telnyx', from: '+15550000001' })).toBe('telnyx')
  })

  test('the owner of its number, whoever is in the room', () => {
    expect(open(['twilio']).dial({ from: '+15550000002' })).toBe('telnyx')
  })

  test('the carrier of someone in the room', () => {
    expect(open(['browser', 'telnyx']).dial({})).toBe('telnyx')
    expect(open(['telnyx']).dial({ invitation: { room: 'other' } })).toBe('twilio')
  })

  test('the first one otherwise, also instead of one that places no calls', () => {
    expect(open().dial({})).toBe('twilio')
    expect(open(['signalwire']).dial({ from: '+15550000003' })).toBe('twilio')
  })
})

test('a carrier that places no calls is refused by name', () => {
  const { dial, selection } = open()
  expect(() => dial({ carrier: 'signalwire' })).toThrow(
    '"signalwire" places no calls; configured: twilio, telnyx',
  )
  expect([selection.available, selection.refused]).toEqual([true, 2])
})

test('without carriers, outbound calls are not configured', () => {
  const none = new CarrierSelection({ carriers: [], channelsOf: () => [] })
  expect(none.available).toBe(false)
  expect(() => none.dial({ to: '+34600111222', invitation: { room: 'a' } })).toThrow('not configured')
})
