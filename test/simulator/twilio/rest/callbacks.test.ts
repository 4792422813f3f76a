import { describe, expect, test } from 'vitest'
import type { CallbackFaults, CallEvent } from '../../../../src/simulator/index.ts'
import {
  ANA,
  account,
  ORDER,
  PATIENT,
  PUBLIC,
  type Rest,
} from '../../../support/simulator/account-with-bridge.ts'

const EVENTS: CallEvent[] = ['initiated', 'ringing', 'answered', 'completed']
const FOLLOWED = { ...ORDER, statusCallback: `${PUBLIC}/twilio/status`, statusCallbackEvent: EVENTS }

/** The numbers of the events that arrived, in the order of their arrival. */
function arrived({ bridge }: Rest): string[] {
  return bridge.hooks.flatMap(({ fields }) => fields.SequenceNumber ?? [])
}

async function callWith(a: Rest, faults: CallbackFaults): Promise<void> {
  Object.assign(a.rest.callbackFaults, faults)
  a.rest.subscriber(ANA)
  await a.client.calls.create(FOLLOWED)
}

const TWIML = { twiml: '<Response><Hangup/></Response>' }

describe('events arrive', () => {
  test.each<[what: string, faults: CallbackFaults, order: string]>([
    ['in their order', {}, '0 1 2 3'],
    ['twice', { duplicate: true }, '0 0 1 1 2 2 3 3'],
    ['in another order', { reorder: true }, '1 0 3 2'],
    ['in their order, late', { delayMs: 30 }, '0 1 2 3'],
    ['not at all for some', { lose: ['ringing', 'completed'] }, '0 2'],
  ])('%s', async (_, faults, order) => {
    await using a = await account({}, TWIML)
    await callWith(a, faults)
    await expect.poll(() => arrived(a).join(' '), PATIENT).toBe(order)
    expect(a.verdicts().every(Boolean)).toBe(true)
  })

  test('late, and the call does not wait for them', async () => {
    await using a = await account({}, TWIML)
    await callWith(a, { delayMs: event => (event === 'completed' ? 0 : 300) })
    await expect.poll(() => a.rest.calls[0]?.status, PATIENT).toBe('completed')
    expect(arrived(a)).toEqual([])
    await expect.poll(() => arrived(a).join(' '), PATIENT).toBe('0 1 2 3')
  })

  test('never', async () => {
    await using a = await account({}, TWIML)
    await callWith(a, { lose: true })
    await expect.poll(() => a.rest.calls[0]?.status, PATIENT).toBe('completed')
    expect(a.rest.callbacks).toEqual([])
  })

  test('again with the same idempotency token when the bridge fails, and each copy of one', async () => {
    await using a = await account({}, { ...TWIML, status: 503 })
    await callWith(a, { lose: ['initiated', 'ringing', 'answered'] })
    await expect.poll(() => a.rest.callbacks.length, PATIENT).toBe(2)
    expect(a.rest.callbacks).toMatchObject([
      { event: 'completed', attempt: 1, status: 503 },
      { event: 'completed', attempt: 2, status: 503 },
    ])
    const tokens = a.rest.callbacks.map(({ idempotencyToken }) => idempotencyToken)
    expect(new Set(tokens).size).toBe(1)
    const sent = a.bridge.hooks.filter(({ url }) => url.includes('status'))
    expect(sent.map(({ headers }) => headers['i-twilio-idempotency-token'])).toEqual(tokens)
  })

  test('not again when the bridge rejects them', async () => {
    await using a = await account({}, { ...TWIML, status: 403 })
    await callWith(a, { lose: ['initiated', 'ringing', 'answered'] })
    await expect.poll(() => a.rest.callbacks.length, PATIENT).toBe(1)
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(a.rest.callbacks).toHaveLength(1)
  })
})
