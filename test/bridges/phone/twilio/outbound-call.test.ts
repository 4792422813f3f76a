import { describe, expect, it } from 'vitest'
import { inputOf, verdictOf } from '../../../../src/bridges/phone/markup/call-form.ts'
import { BridgeError } from '../../../../src/common/errors.ts'
import { dialed, settled } from '../../../support/phone/outbound-call-harness.ts'

describe('an outbound call', () => {
  it('is answered: the participant is in the room, and the end is reported once', async () => {
    const { dial, seen, stream, calls, joined, released } = dialed()
    await settled()
    dial.told('CA1', inputOf('ringing'))
    dial.told('CA1', inputOf('in-progress'))
    expect(dial.answered('CA1')).toBe(true)
    const { say, heard } = stream('leg-1')
    say(7)
    await settled()
    expect(seen).toEqual({ outcome: { kind: 'answered', participant: 'leg-1' } })
    expect([joined, heard]).toEqual([['leg-1'], [7]])
    dial.told('CA1', inputOf('completed'))
    dial.told('CA1', inputOf('completed'))
    await settled()
    expect([seen.over, calls.hungUp, released]).toEqual(['hangup', [], ['CA1']])
  })

  it.each([
    ['busy', 'busy'],
    ['no-answer', 'no-answer'],
    ['canceled', 'canceled'],
    ['completed', 'no-answer'],
  ] as const)('is not answered: Twilio reports %s', async (status, kind) => {
    const { dial, seen, calls, clock } = dialed()
    await settled()
    dial.told('CA1', inputOf('ringing'))
    dial.told('CA1', inputOf(status))
    await settled()
    expect(seen).toEqual({ outcome: { kind }, over: kind })
    expect([calls.hungUp, clock.pending]).toEqual([[], 0])
  })

  it('works when callbacks arrive before the response to the request', async () => {
    const created = Promise.withResolvers<string>()
    const { dial, seen, stream, calls } = dialed({ onPlace: () => created.promise })
    dial.told('CA1', inputOf('in-progress'))
    dial.told('CA1', inputOf('ringing'))
    dial.told('CA1', inputOf('initiated'))
    expect(dial.answered('CA1')).toBe(true)
    stream('leg-1')
    created.resolve('CA1')
    await settled()
    expect(seen.outcome).toEqual({ kind: 'answered', participant: 'leg-1' })
    expect(calls.orders).toHaveLength(1)
  })

  it('is over when its final callback arrives before the response to the request', async () => {
    const created = Promise.withResolvers<string>()
    const { dial, seen, calls, clock } = dialed({ onPlace: () => created.promise })
    dial.told('CA1', inputOf('busy'))
    created.resolve('CA1')
    await settled()
    expect([seen.over, calls.hungUp, clock.pending]).toEqual(['busy', [], 0])
  })

  it('ignores callbacks of other calls', async () => {
    const { dial, seen } = dialed()
    await settled()
    dial.told('CA2', inputOf('busy'))
    dial.detected('CA2', verdictOf('machine_start'))
    expect(dial.answered('CA2')).toBe(false)
    await settled()
    expect(seen).toEqual({})
    expect(dial.final).toBe(false)
  })

  it('hangs up at any stage when we do', async () => {
    const { dial, seen, calls } = dialed()
    await dial.hangUp()
    await dial.hangUp()
    expect([seen, calls.hungUp]).toEqual([{ outcome: { kind: 'canceled' }, over: 'canceled' }, ['CA1']])
    expect(dial.answered('CA1')).toBe(false)
  })

  it('hangs up a call that was released early, as soon as its CallSid is known', async () => {
    const created = Promise.withResolvers<string>()
    const { dial, seen, calls } = dialed({ onPlace: () => created.promise })
    const hungUp = dial.hangUp()
    await settled()
    expect([seen.outcome, calls.hungUp]).toEqual([{ kind: 'canceled' }, []])
    created.resolve('CA1')
    await hungUp
    expect(calls.hungUp).toEqual(['CA1'])
  })

  it('hangs up at the first callback if that reveals the CallSid', async () => {
    const { dial, calls } = dialed({ onPlace: () => new Promise(() => {}) })
    void dial.hangUp()
    dial.told('CA1', inputOf('ringing'))
    await settled()
    expect(calls.hungUp).toEqual(['CA1'])
    dial.told('CA1', inputOf('canceled'))
    expect(dial.final).toBe(true)
  })

  it('ends with its leg: when the participant hangs up, and when we close it', async () => {
    const first = dialed()
    await settled()
    await first.stream('leg-1').leg.close({ kind: 'hangup', by: 'remote' })
    await settled()
    expect([first.seen.over, first.calls.hungUp]).toEqual(['hangup', []])

    const second = dialed()
    await settled()
    await second.stream('leg-1').leg.close({ kind: 'hangup', by: 'local' })
    await settled()
    expect([second.seen.over, second.calls.hungUp]).toEqual(['hangup', ['CA1']])
  })

  it('survives when its stream breaks and returns', async () => {
    const { dial, seen, stream, joined, clock, calls } = dialed()
    await settled()
    const lost = { kind: 'failed', error: new BridgeError('LEG_LOST', 'gone', { retryable: true }) } as const
    await stream('leg-1').leg.close(lost)
    await settled()
    clock.advance(29_000)
    stream('leg-2')
    clock.advance(60_000)
    await settled()
    expect([joined, seen.over, calls.looked]).toEqual([['leg-1', 'leg-2'], undefined, []])
    dial.told('CA1', inputOf('completed'))
    await settled()
    expect(seen.over).toBe('hangup')
  })

  it.each([
    ['completed', []],
    ['in-progress', ['CA1']],
  ])('is over when its stream does not return, and Twilio reports %s', async (status, hungUp) => {
    const { seen, stream, clock, calls } = dialed({ onStatus: async () => status })
    await settled()
    await stream('leg-1').leg.close({ kind: 'failed', error: new BridgeError('LEG_LOST', 'gone') })
    await settled()
    clock.advance(30_000)
    await settled()
    expect([seen.over, calls.looked, calls.hungUp]).toEqual(['hangup', ['CA1'], hungUp])
  })
})

describe('a call that a machine may answer', () => {
  it('is not audible until a person is confirmed', async () => {
    const { dial, seen, stream, joined } = dialed({ detects: true })
    await settled()
    dial.told('CA1', inputOf('in-progress'))
    const { say, heard } = stream('leg-1')
    say(7)
    await settled()
    expect([joined, heard, seen.outcome]).toEqual([['leg-1'], [0], undefined])
    dial.detected('CA1', verdictOf('human'))
    say(8)
    await settled()
    expect([heard, seen.outcome]).toEqual([[0, 8], { kind: 'answered', participant: 'leg-1' }])
  })

  it.each([['unknown'], ['human']])(
    'is a person if Twilio reports %s before the stream arrives',
    async verdict => {
      const { dial, seen, stream } = dialed({ detects: true })
      await settled()
      dial.detected('CA1', verdictOf(verdict))
      const { say, heard } = stream('leg-1')
      say(7)
      await settled()
      expect([heard, seen.outcome?.kind]).toEqual([[7], 'answered'])
    },
  )

  it('counts as a person after 4 s without a verdict', async () => {
    const { seen, stream, clock } = dialed({ detects: true })
    await settled()
    stream('leg-1')
    clock.advance(3_999)
    await settled()
    expect(seen.outcome).toBeUndefined()
    clock.advance(1)
    await settled()
    expect(seen.outcome?.kind).toBe('answered')
  })

  it.each(['machine_start', 'machine_end_beep', 'fax'])('is hung up for %s', async answeredBy => {
    const { dial, seen, stream, calls } = dialed({ detects: true })
    await settled()
    const { leg } = stream('leg-1')
    dial.detected('CA1', verdictOf(answeredBy))
    dial.detected('CA1', verdictOf(answeredBy))
    await settled()
    expect(seen).toEqual({ outcome: { kind: 'voicemail' }, over: 'voicemail' })
    expect(calls.hungUp).toEqual(['CA1'])
    expect(await leg.ended).toEqual({ kind: 'hangup', by: 'local' })
  })

  it('is hung up when a machine is detected late', async () => {
    const { dial, seen, stream, clock } = dialed({ detects: true })
    await settled()
    stream('leg-1')
    clock.advance(4_000)
    dial.detected('CA1', verdictOf('machine_end_silence'))
    await settled()
    expect(seen).toEqual({ outcome: { kind: 'answered', participant: 'leg-1' }, over: 'voicemail' })
  })

  it('ignores an unknown verdict', async () => {
    const { dial, seen } = dialed({ detects: true })
    await settled()
    dial.detected('CA1', verdictOf('alien'))
    dial.detected('CA1', verdictOf(''))
    await settled()
    expect([seen, dial.state.status]).toEqual([{}, 'queued'])
  })
})
