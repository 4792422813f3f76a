import { describe, expect, it } from 'vitest'
import type { TwoPartyCallsOptions } from '../../../src/core/calls/two-party-calls.ts'
import { CALLEE_HZ, GUEST_HZ, LOST, switchboard } from '../../support/relay/two-party-calls.ts'

describe('two connected participants', () => {
  async function talking(options: Partial<TwoPartyCallsOptions> = {}) {
    const line = await switchboard(options)
    const ana = line.caller()
    await line.run(1_000)
    const desk = line.pickUp()
    await line.run(1_500)
    return { ...line, ana, desk }
  }

  it.each(['ana', 'desk'] as const)(
    'end together: when %s hangs up, the other hears a notice and is disconnected',
    async first => {
      const line = await talking()
      const [leaves, stays] = first === 'ana' ? [line.ana, line.desk] : [line.desk, line.ana]
      await leaves.close({ kind: 'hangup', by: 'remote' })
      await line.run(900)
      expect(await line.ended(stays)).toBe(false)
      await line.run(1_500)
      expect(line.announcer.asked.at(-1)).toBe(`other-left ${first === 'ana' ? 'en-us' : 'es-es'}`)
      expect(line.notices(stays).at(-1)).toBe('other-left')
      expect(await stays.ended).toEqual({ kind: 'hangup', by: 'local' })
      expect(line.dialer.last.hungUp).toBeGreaterThan(0)
      expect([line.board.calls, line.relay.rooms.size]).toEqual([0, 0])
    },
  )

  it('hear last words before the notice, for 3 s at most', async () => {
    const line = await talking()
    line.say(line.desk, CALLEE_HZ, 300)
    await line.run(300)
    await line.desk.close({ kind: 'hangup', by: 'remote' })
    await line.run(600)
    // The last words arrive from the service only now.
    line.answer('en-us', 'es-es', 1_200, 8_000)
    await line.run(1_500)
    expect(line.hears(line.lately(line.ana, 1_000), 1_200)).toBe(true)
    expect(line.notices(line.ana)).toEqual(['connecting', 'connected'])
    await line.run(1_500)
    expect(line.notices(line.ana).at(-1)).toBe('other-left')
    expect(await line.ended(line.ana)).toBe(true)
  })

  it('end when the carrier reports the end of the call, regardless of the socket', async () => {
    const line = await talking()
    line.dialer.last.end('hangup')
    await line.run(2_500)
    expect(line.notices(line.ana).at(-1)).toBe('other-left')
    expect([await line.ended(line.ana), await line.ended(line.desk)]).toEqual([true, true])
  })

  it('hear a notice if the callee was a machine after all', async () => {
    const line = await talking()
    line.dialer.last.end('voicemail')
    await line.desk.close({ kind: 'hangup', by: 'local' })
    await line.run(2_000)
    expect(line.notices(line.ana).at(-1)).toBe('voicemail')
    expect(await line.ended(line.ana)).toBe(true)
  })

  it('who hang up at the same time release everything', async () => {
    const line = await talking()
    void line.ana.close({ kind: 'hangup', by: 'remote' })
    void line.desk.close({ kind: 'hangup', by: 'remote' })
    await line.run(100)
    expect([line.board.calls, line.relay.rooms.size, line.announcer.asked.at(-1)]).toEqual([
      0,
      0,
      'connected es-es',
    ])
  })

  it('continue with a third when one of them hangs up, and end when one remains', async () => {
    const line = await talking()
    const guest = line.admit('guest', { room: 'r', speaks: 'es-es', hears: 'es-es', echo: false })
    await line.run(200)
    await line.desk.close({ kind: 'hangup', by: 'remote' })
    await line.run(8_000)
    line.say(guest, GUEST_HZ, 1_000)
    await line.run(1_000)
    expect(line.hears(line.lately(line.ana, 1_000), GUEST_HZ)).toBe(true)
    expect([await line.ended(line.ana), await line.ended(guest)]).toEqual([false, false])
    await line.ana.close({ kind: 'hangup', by: 'remote' })
    await line.run(2_500)
    expect([line.notices(guest), await line.ended(guest)]).toEqual([['other-left'], true])
  })

  it('wait 10 s for a broken stream, and no longer', async () => {
    const line = await talking()
    await line.desk.close(LOST)
    await line.run(9_000)
    expect(await line.ended(line.ana)).toBe(false)
    const back = line.admit('callee-2', line.dialer.last.request.invitation)
    line.say(back, CALLEE_HZ, 1_000)
    await line.run(2_000)
    expect(line.hears(line.lately(line.ana, 2_000), CALLEE_HZ)).toBe(true)
    expect(line.announcer.asked.filter(asked => asked.startsWith('incoming'))).toHaveLength(1)
    await back.close(LOST)
    await line.run(10_000)
    await line.run(2_500)
    expect([line.notices(line.ana).at(-1), await line.ended(line.ana)]).toEqual(['other-left', true])
  })

  it('both hear the time limit, and are disconnected', async () => {
    const line = await talking({ maxMinutes: 0.1 })
    expect(line.dialer.last.request.limitSeconds).toBe(66)
    await line.run(3_400)
    expect(await line.ended(line.ana)).toBe(false)
    await line.run(1_000)
    expect([line.notices(line.ana).at(-1), line.notices(line.desk).at(-1)]).toEqual(['time-up', 'time-up'])
    expect([await line.ended(line.ana), await line.ended(line.desk)]).toEqual([true, true])
    expect(line.clock.pending).toBe(0)
  })
})
