import { describe, expect, it } from 'vitest'
import { inputOf } from '../../../../src/bridges/phone/markup/call-form.ts'
import { BridgeError } from '../../../../src/common/errors.ts'
import { restError } from '../../../support/phone/fake-carrier-api.ts'
import { dialed, settled } from '../../../support/phone/outbound-call-harness.ts'

describe('a request that fails', () => {
  it('is not repeated after a permanent rejection', async () => {
    const { seen, calls, log } = dialed({ onPlace: () => Promise.reject(restError(400, 21211)) })
    await settled()
    expect(seen.outcome).toMatchObject({ kind: 'failed', error: { code: 'DIAL_FAILED' } })
    expect(calls.orders).toHaveLength(1)
    expect(log.complaints).toEqual([expect.stringContaining('Twilio error 21211')])
  })

  it('is repeated for 10 s while it was certainly not executed', async () => {
    const { seen, calls, clock } = dialed({ onPlace: () => Promise.reject(restError(429, 20429)) })
    for (let s = 0; s < 20; s++) {
      await settled()
      clock.advance(1_000)
    }
    await settled()
    expect(seen.outcome).toMatchObject({ kind: 'failed' })
    expect(calls.orders.length).toBeGreaterThan(3)
    expect(calls.orders.length).toBeLessThan(10)
  })

  it('succeeds on a retry, but not once the caller has left', async () => {
    let times = 0
    const onPlace = () => (++times < 3 ? Promise.reject(restError(429)) : Promise.resolve('CA9'))
    const one = dialed({ onPlace })
    for (let s = 0; s < 5; s++) {
      await settled()
      one.clock.advance(1_000)
    }
    one.dial.told('CA9', inputOf('busy'))
    await settled()
    expect(one.seen.over).toBe('busy')

    times = 0
    const two = dialed({ onPlace })
    await settled()
    void two.dial.hangUp()
    for (let s = 0; s < 5; s++) {
      two.clock.advance(1_000)
      await settled()
    }
    expect([two.calls.orders.length, two.dial.final, two.seen.over]).toEqual([1, true, 'canceled'])
  })

  it('is never repeated if it was possibly executed, and the call continues if it shows up', async () => {
    const { dial, seen, calls, clock } = dialed({ onPlace: () => Promise.reject(restError(503)) })
    await settled()
    clock.advance(4_000)
    dial.told('CA1', inputOf('ringing'))
    clock.advance(10_000)
    await settled()
    expect([seen, calls.orders.length]).toEqual([{}, 1])
    dial.told('CA1', inputOf('no-answer'))
    await settled()
    expect(seen.over).toBe('no-answer')
  })

  it('has failed if nothing shows up, and a late call is hung up', async () => {
    const { dial, seen, calls, clock } = dialed({ onPlace: () => Promise.reject(restError(503)) })
    await settled()
    clock.advance(5_000)
    await settled()
    expect(seen.outcome).toMatchObject({
      kind: 'failed',
      error: { message: 'the REST API returned HTTP 503' },
    })
    dial.told('CA1', inputOf('ringing'))
    await settled()
    expect([calls.orders.length, calls.hungUp, dial.answered('CA1')]).toEqual([1, ['CA1'], false])
  })

  it('to hang up is repeated, which is harmless', async () => {
    let times = 0
    const { dial, calls, clock, log } = dialed({
      onHangUp: () => (++times < 3 ? Promise.reject(restError(500)) : Promise.resolve()),
    })
    await settled()
    void dial.hangUp()
    for (let s = 0; s < 5; s++) {
      await settled()
      clock.advance(1_000)
    }
    expect([calls.hungUp.length, log.complaints]).toEqual([3, []])
  })

  it('to hang up is abandoned after a rejection or several attempts', async () => {
    for (const [status, attempts] of [
      [401, 1],
      [500, 5],
    ] as const) {
      const { dial, calls, clock, log } = dialed({ onHangUp: () => Promise.reject(restError(status)) })
      await settled()
      const hungUp = dial.hangUp()
      for (let s = 0; s < 20; s++) {
        await settled()
        clock.advance(1_000)
      }
      await hungUp
      expect([calls.hungUp.length, log.complaints.length, clock.pending]).toEqual([attempts, 1, 0])
    }
  })
})

describe('missing callbacks', () => {
  it.each([
    ['busy', 'busy', []],
    ['no-answer', 'no-answer', []],
    ['ringing', 'no-answer', ['CA1']],
  ])('are replaced by a query once they are overdue: %s', async (status, over, hungUp) => {
    const { dial, seen, calls, clock } = dialed({ onStatus: async () => status })
    await settled()
    dial.told('CA1', inputOf('ringing'))
    clock.advance(44_999)
    await settled()
    expect(calls.looked).toEqual([])
    clock.advance(1)
    await settled()
    expect([seen.over, calls.hungUp]).toEqual([over, hungUp])
  })

  it('leave no resources behind if Twilio cannot be queried either', async () => {
    const { seen, calls, clock } = dialed({ onStatus: () => Promise.reject(restError(500)) })
    await settled()
    clock.advance(75_000)
    await settled()
    expect([seen.over, calls.hungUp]).toEqual(['no-answer', ['CA1']])
  })

  it('an answered call has 15 s to start its stream', async () => {
    const { dial, seen, clock, calls } = dialed()
    await settled()
    dial.answered('CA1')
    clock.advance(15_000)
    await settled()
    expect(seen.outcome).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('no media stream') },
    })
    expect(calls.hungUp).toEqual(['CA1'])
  })

  it('a stream that is not admitted ends the call', async () => {
    const { dial, seen, calls } = dialed()
    await settled()
    dial.rejected(new BridgeError('CAPACITY', 'full'))
    await settled()
    expect([seen.outcome, calls.hungUp]).toEqual([
      { kind: 'failed', error: expect.objectContaining({ code: 'CAPACITY' }) },
      ['CA1'],
    ])
  })
})

it('never logs a number', async () => {
  const { dial, log } = dialed({ onPlace: () => Promise.reject(restError(400, 21211)) })
  await settled()
  void dial.hangUp()
  expect(log.all.length).toBeGreaterThan(0)
  expect(JSON.stringify(log.all)).not.toContain('+1500')
})
