import { describe, expect, it } from 'vitest'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import { toneHz } from '../../support/relay/fake-announcer.ts'
import { CALLEE_HZ, LOST, PLAN, switchboard } from '../../support/relay/two-party-calls.ts'

const ana: Invitation = { room: 'r', speaks: 'es-es', hears: 'es-es', name: 'Ana', dial: PLAN }

/** A caller whose stream breaks and reconnects is the same participant; ongoing operations continue. */
describe('a call whose stream breaks', () => {
  it('keeps ringing, once, until it is answered; then stops completely', async () => {
    const line = await switchboard()
    const first = line.admit('caller', ana, 'CA1')
    await line.run(2_000)
    await first.close(LOST)
    await line.run(1_000)
    const second = line.admit('caller-2', ana, 'CA1')
    await line.run(1_000)
    expect(line.relay.find('caller-2')).toBe(line.relay.find('caller'))
    expect(line.hears(line.lately(second, 600), toneHz('ringback'))).toBe(true)
    expect(line.dialer.calls).toHaveLength(1)
    const desk = line.pickUp()
    await line.run(3_000)
    expect(line.hears(line.lately(second, 1_000), toneHz('ringback'))).toBe(false)
    line.say(desk, CALLEE_HZ, 1_000)
    await line.run(1_000)
    expect(line.hears(line.lately(second, 800), CALLEE_HZ)).toBe(true)
    expect([await line.ended(second), await line.ended(desk)]).toEqual([false, false])
  })

  it('continues on its next stream, before or after the end of the last one is known', async () => {
    for (const order of ['ends first', 'comes first'] as const) {
      const line = await switchboard()
      const first = line.admit('caller', ana, 'CA1')
      await line.run(500)
      const desk = line.pickUp()
      await line.run(2_000)
      if (order === 'ends first') {
        await first.close(LOST)
        await line.run(500)
      }
      const second = line.admit('caller-2', ana, 'CA1')
      await first.close({ kind: 'replaced' })
      await line.run(12_000)
      line.say(desk, CALLEE_HZ, 1_000)
      await line.run(1_000)
      expect(line.hears(line.lately(second, 800), CALLEE_HZ)).toBe(true)
      expect([await line.ended(second), await line.ended(desk)]).toEqual([false, false])
      await desk.close({ kind: 'hangup', by: 'remote' })
      await line.run(4_000)
      expect(await line.ended(second)).toBe(true)
      expect(line.relay.rooms.size).toBe(0)
    }
  })

  it('that does not reconnect ends for the other', async () => {
    const line = await switchboard()
    const first = line.admit('caller', ana, 'CA1')
    await line.run(500)
    const desk = line.pickUp()
    await line.run(2_000)
    await first.close(LOST)
    await line.run(9_000)
    expect(await line.ended(desk)).toBe(false)
    await line.run(5_000)
    expect(line.notices(desk)).toContain('other-left')
    expect(await line.ended(desk)).toBe(true)
    expect([line.relay.rooms.size, line.board.calls]).toEqual([0, 0])
  })
})
