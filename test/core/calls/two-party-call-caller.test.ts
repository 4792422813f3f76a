import { describe, expect, it } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import type { NoticeName } from '../../../src/core/model/announcer.ts'
import type { DialOutcome } from '../../../src/core/model/dialer.ts'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import { toneHz } from '../../support/relay/fake-announcer.ts'
import { CALLER_HZ, LOST, PLAN, switchboard, TO } from '../../support/relay/two-party-calls.ts'

describe('a caller', () => {
  it("hears the callee's name, then ringing until the answer, then that they are connected", async () => {
    const line = await switchboard()
    const ana = line.caller()
    await line.run(3_000)
    expect(line.dialer.last.request).toMatchObject({
      to: TO,
      invitation: { room: 'r', speaks: 'en-us', name: 'Desk' },
    })
    expect(line.announcer.asked).toEqual(['connecting es-es name=Desk'])
    expect(line.hears(line.lately(ana, 1_000), toneHz('ringback'))).toBe(true)
    const desk = line.pickUp()
    await line.run(2_000)
    expect(line.announcer.asked.slice(1)).toEqual(['incoming en-us name=Ana', 'connected es-es'])
    expect(line.notices(ana)).toEqual(['connecting', 'connected'])
    expect(line.notices(desk)).toEqual(['incoming'])
    expect(line.hears(line.lately(ana, 1_000), toneHz('ringback'))).toBe(false)
    // Faded out: cutting it off at the peer would click.
    expect(ana.flushes).toBe(0)
    expect(line.board.calls).toBe(1)
  })

  it('and the callee hear each other, translated', async () => {
    const line = await switchboard()
    const ana = line.caller()
    await line.run(1_000)
    const desk = line.pickUp()
    await line.run(1_500)
    line.answer('es-es', 'en-us', 1_000, 600)
    line.answer('en-us', 'es-es', 1_200, 600)
    await line.run(1_000)
    expect(line.hears(line.lately(desk, 1_000), 1_000)).toBe(true)
    expect(line.hears(line.lately(ana, 1_000), 1_200)).toBe(true)
    expect(line.hears(line.lately(ana, 1_000), 1_000)).toBe(false)
  })

  it('is not audible on the ringing phone, then or later', async () => {
    const line = await switchboard()
    const ana = line.caller()
    line.say(ana, CALLER_HZ, 10_000)
    await line.run(10_000)
    expect(line.translator.connections).toEqual([])
    const desk = line.pickUp()
    await line.run(4_000)
    expect(line.hears(desk.sounded(), CALLER_HZ)).toBe(false)
    line.say(ana, CALLER_HZ, 1_000)
    await line.run(1_000)
    expect(line.hears(line.lately(desk, 1_000), CALLER_HZ)).toBe(true)
  })

  it('hears ringing, muted, while a machine possibly answered', async () => {
    const line = await switchboard()
    const ana = line.caller()
    await line.run(1_500)
    const desk = line.pickUp('callee', false)
    line.say(ana, CALLER_HZ, 3_000)
    await line.run(3_000)
    expect(line.hears(line.lately(ana, 1_000), toneHz('ringback'))).toBe(true)
    expect(line.hears(desk.sounded(), CALLER_HZ)).toBe(false)
    // Voicemail would record it.
    expect(Math.max(0, ...desk.sounded().map(Math.abs))).toBe(0)
    line.dialer.last.become({ kind: 'answered', participant: 'callee' })
    await line.run(1_500)
    expect(line.notices(ana)).toEqual(['connecting', 'connected'])
    expect(line.notices(desk)).toEqual(['incoming'])
  })

  it('leaves no message on a voicemail that answers', async () => {
    const line = await switchboard()
    const ana = line.caller()
    await line.run(1_500)
    const mailbox = line.pickUp('callee', false)
    await line.run(3_000)
    line.dialer.last.become({ kind: 'voicemail' })
    await line.run(1_500)
    expect(Math.max(0, ...mailbox.sounded().map(Math.abs))).toBe(0)
    expect(line.notices(ana)).toEqual(['connecting', 'voicemail'])
  })

  it("is announced to the callee even if the callee's stream breaks at that moment", async () => {
    const line = await switchboard()
    line.caller()
    await line.run(1_500)
    const { invitation } = line.dialer.last.request
    const first = line.admit('callee', invitation, 'one call')
    await line.run(200)
    await first.close(LOST)
    await line.run(200)
    line.dialer.last.become({ kind: 'answered', participant: 'callee' })
    await line.run(200)
    const again = line.admit('callee-2', invitation, 'one call')
    await line.run(1_500)
    expect(line.notices(again)).toEqual(['incoming'])
  })

  const failed = (code: 'DIAL_FAILED' | 'CAPACITY' | 'DIAL_QUOTA_EXCEEDED'): DialOutcome => ({
    kind: 'failed',
    error: new BridgeError(code, 'no'),
  })
  it.each<[NoticeName, DialOutcome]>([
    ['busy', { kind: 'busy' }],
    ['no-answer', { kind: 'no-answer' }],
    ['voicemail', { kind: 'voicemail' }],
    ['call-failed', failed('DIAL_FAILED')],
    ['line-full', failed('CAPACITY')],
    ['minutes-spent', failed('DIAL_QUOTA_EXCEEDED')],
    ['no-answer', { kind: 'canceled' }],
  ])('hears in their language that the call ends: %s', async (notice, outcome) => {
    const line = await switchboard()
    const ana = line.caller()
    await line.run(1_500)
    line.dialer.last.become(outcome)
    await line.run(200)
    expect(await line.ended(ana)).toBe(false)
    await line.run(1_000)
    expect(line.announcer.asked.at(-1)).toBe(`${notice} es-es`)
    expect(line.notices(ana)).toEqual(['connecting', notice])
    expect(await ana.ended).toEqual({ kind: 'hangup', by: 'local' })
    expect([line.board.calls, line.relay.rooms.size]).toEqual([0, 0])
  })

  it.each([
    ['DIAL_REFUSED', 'call-failed'],
    ['CAPACITY', 'line-full'],
    ['DIAL_QUOTA_EXCEEDED', 'minutes-spent'],
  ] as const)('hears a rejection by the dialer: %s', async (code, notice) => {
    const line = await switchboard()
    line.dialer.refuse = new BridgeError(code, 'not dialed')
    const ana = line.caller()
    await line.run(2_000)
    expect(line.notices(ana)).toEqual([notice])
    expect(await line.ended(ana)).toBe(true)
  })

  it('hears that outbound calls are disabled', async () => {
    const line = await switchboard({ dialer: undefined })
    const ana = line.caller()
    await line.run(2_000)
    expect(line.notices(ana)).toEqual(['call-failed'])
    expect(await line.ended(ana)).toBe(true)
  })

  it('stays if configured, and another participant can join', async () => {
    const line = await switchboard()
    const ana = line.caller({ unanswered: 'stay' })
    await line.run(1_500)
    line.dialer.last.become({ kind: 'busy' })
    await line.run(5_000)
    expect([line.notices(ana), await line.ended(ana)]).toEqual([['connecting', 'busy'], false])
    const guest = line.admit('guest', { room: 'r', speaks: 'es-mx', hears: 'es-mx', echo: false })
    line.say(ana, CALLER_HZ, 1_000)
    await line.run(1_000)
    expect(line.hears(guest.sounded(), CALLER_HZ)).toBe(true)
  })

  it('who hangs up during ringing ends the outbound call', async () => {
    const line = await switchboard()
    const ana = line.caller()
    await line.run(1_000)
    await ana.close({ kind: 'hangup', by: 'remote' })
    await line.run(100)
    expect(line.dialer.last.hungUp).toBeGreaterThan(0)
    expect([line.board.calls, line.relay.rooms.size]).toEqual([0, 0])
  })

  it('whose stream breaks during ringing reconnects to it, and no second call is placed', async () => {
    const line = await switchboard()
    const invitation: Invitation = { room: 'r', speaks: 'es-es', hears: 'es-es', dial: PLAN }
    const ana = line.admit('caller', invitation)
    await line.run(1_000)
    await ana.close(LOST)
    await line.run(2_000)
    const again = line.admit('caller-2', invitation)
    await line.run(1_000)
    expect(line.hears(again.sounded(), toneHz('ringback'))).toBe(true)
    line.pickUp()
    await line.run(1_000)
    expect(line.notices(again)).toEqual(['connected'])
    expect([line.dialer.calls.length, line.dialer.last.hungUp]).toEqual([1, 0])
  })

  it('who connects twice with one call is one caller', async () => {
    const line = await switchboard()
    const invitation: Invitation = { room: 'r', speaks: 'es-es', hears: 'es-es', dial: PLAN }
    const ana = line.admit('caller', invitation)
    await line.run(1_000)
    void ana.close({ kind: 'replaced' })
    const again = line.admit('caller-2', invitation)
    await line.run(1_000)
    line.pickUp()
    await line.run(1_000)
    expect(line.notices(again)).toEqual(['connected'])
    expect([line.dialer.calls.length, line.relay.rooms.get('r')?.participants.size]).toEqual([1, 2])
  })

  it('who reconnects after the end of the call causes no new call', async () => {
    const line = await switchboard()
    const invitation: Invitation = { room: 'r', speaks: 'es-es', hears: 'es-es', dial: PLAN }
    const ana = line.admit('caller', invitation)
    await line.run(1_000)
    line.dialer.last.become({ kind: 'busy' })
    await line.run(40)
    await ana.close(LOST)
    await line.run(1_000)
    const again = line.admit('caller-2', invitation)
    await line.run(100)
    expect(await again.ended).toEqual({ kind: 'hangup', by: 'local' })
    expect(line.dialer.calls).toHaveLength(1)
  })
})
