import { describe, expect, it } from 'vitest'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import { toneHz } from '../../support/relay/fake-announcer.ts'
import { CALLEE_HZ, CALLER_HZ, PLAN, switchboard } from '../../support/relay/two-party-calls.ts'

/** The state that another server has left. */
const ana: Invitation = {
  room: 'r',
  speaks: 'es-es',
  hears: 'es-es',
  name: 'Ana',
  dial: { ...PLAN, resumed: true },
}
const desk: Invitation = { ...PLAN.callee, room: 'r', echo: false, called: true }

type Line = Awaited<ReturnType<typeof switchboard>>

async function bothAreHeard(
  line: Line,
  caller: ReturnType<Line['admit']>,
  callee: ReturnType<Line['admit']>,
) {
  line.say(caller, CALLER_HZ, 1_000)
  line.say(callee, CALLEE_HZ, 1_000)
  await line.run(1_000)
  expect(line.hears(line.lately(callee, 800), CALLER_HZ)).toBe(true)
  expect(line.hears(line.lately(caller, 800), CALLEE_HZ)).toBe(true)
}

describe('a call handed over from another server', () => {
  it.each(['caller', 'callee'] as const)('continues unchanged when the %s arrives first', async first => {
    const line = await switchboard()
    const come = { caller: () => line.admit('a', ana), callee: () => line.admit('d', desk) }
    const early = come[first]()
    await line.run(3_000)
    const late = come[first === 'caller' ? 'callee' : 'caller']()
    const [caller, callee] = first === 'caller' ? [early, late] : [late, early]
    await bothAreHeard(line, caller, callee)
    await line.run(10_000)
    expect(line.dialer.calls).toEqual([])
    expect([line.notices(caller), line.notices(callee)]).toEqual([[], []])
    await callee.close({ kind: 'hangup', by: 'remote' })
    await line.run(4_000)
    expect([line.notices(caller), await line.ended(caller)]).toEqual([['other-left'], true])
    expect([line.board.calls, line.relay.rooms.size]).toEqual([0, 0])
  })

  it('dials the callee again if they do not arrive', async () => {
    const line = await switchboard()
    const caller = line.admit('a', ana)
    await line.run(5_500)
    expect(line.dialer.calls).toEqual([])
    await line.run(2_000)
    expect(line.hears(line.lately(caller, 600), toneHz('ringback'))).toBe(true)
    expect(line.dialer.calls).toHaveLength(1)
    const callee = line.pickUp()
    await line.run(3_000)
    expect(line.notices(callee)).toEqual(['incoming'])
    await bothAreHeard(line, caller, callee)
  })

  it('admits a callee who arrives late, and stops ringing', async () => {
    const line = await switchboard()
    const caller = line.admit('a', ana)
    await line.run(8_000)
    const callee = line.admit('d', desk)
    await line.run(2_000)
    expect(line.dialer.last.hungUp).toBe(1)
    await bothAreHeard(line, caller, callee)
  })

  it('ends for the callee when no caller arrives', async () => {
    const line = await switchboard()
    const callee = line.admit('d', desk)
    await line.run(10_000)
    expect([line.notices(callee), await line.ended(callee)]).toEqual([['other-left'], true])
    expect([line.board.calls, line.relay.rooms.size]).toEqual([0, 0])
  })
})
