import { describe, expect, it } from 'vitest'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import { toneHz } from '../../support/relay/fake-announcer.ts'
import { CALLEE_HZ, LOST, switchboard } from '../../support/relay/two-party-calls.ts'

describe('a switchboard', () => {
  it('never mixes calls, even from one number', async () => {
    const line = await switchboard()
    const one = line.caller({}, 'one', 'call 1')
    const two = line.caller({}, 'two', 'call 2')
    await line.run(1_000)
    const [first, second] = line.dialer.calls
    const deskTwo = line.admit('desk-2', second!.request.invitation)
    second!.become({ kind: 'answered', participant: 'desk-2' })
    await line.run(1_500)
    line.say(deskTwo, CALLEE_HZ, 1_000)
    await line.run(1_000)
    expect(line.hears(line.lately(two, 1_000), CALLEE_HZ)).toBe(true)
    expect(line.hears(one.sounded(), CALLEE_HZ)).toBe(false)
    expect(line.hears(line.lately(one, 1_000), toneHz('ringback'))).toBe(true)
    first!.become({ kind: 'busy' })
    await line.run(1_500)
    expect([await line.ended(one), await line.ended(two)]).toEqual([true, false])
  })

  it('admits others unchanged, for the maximum duration', async () => {
    const line = await switchboard({ maxMinutes: 0.05 })
    const solo = line.admit('solo', { room: 'own', speaks: 'en-us', hears: 'es-es' })
    await line.run(500)
    line.answer('en-us', 'es-es', 1_000, 400)
    await line.run(1_000)
    expect(line.hears(solo.sounded(), 1_000)).toBe(true)
    await line.run(2_500)
    expect([line.notices(solo), await line.ended(solo)]).toEqual([['time-up'], true])
  })

  it('gives no additional time for a new leg', async () => {
    const line = await switchboard({ maxMinutes: 0.1 })
    const invitation: Invitation = { room: 'own', speaks: 'en-us', hears: 'es-es' }
    const first = line.admit('first', invitation)
    await line.run(5_000)
    await first.close(LOST)
    const second = line.admit('second', invitation)
    await line.run(2_000)
    expect(await line.ended(second)).toBe(true)
  })

  it('counts the time of a call that continues from another server', async () => {
    const line = await switchboard({ maxMinutes: 0.1 })
    const leg = line.admit('solo', { room: 'own', speaks: 'en-us', hears: 'es-es', elapsedMs: 5_000 })
    const late = line.admit('late', { room: 'other', speaks: 'en-us', hears: 'es-es', elapsedMs: 60_000 })
    await line.run(500)
    expect([await line.ended(leg), line.notices(late)]).toEqual([false, ['time-up']])
    await line.run(1_500)
    expect([line.notices(leg), await line.ended(leg)]).toEqual([['time-up'], true])
  })

  it('leaves a leg that the relay rejects to its bridge', async () => {
    const line = await switchboard()
    await line.relay.close()
    expect(() => line.caller()).toThrow('closing')
    expect([line.board.calls, line.dialer.calls]).toEqual([0, []])
  })

  it('logs neither numbers nor names', async () => {
    const line = await switchboard()
    line.caller()
    await line.run(500)
    line.dialer.last.become({ kind: 'busy' })
    await line.run(2_000)
    expect(line.log.all.length).toBeGreaterThan(0)
    expect(JSON.stringify(line.log.all)).not.toMatch(/\+1500|Ana|Desk/)
  })
})
