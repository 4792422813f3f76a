import { describe, expect, it } from 'vitest'
import { Dial } from '../../../../src/bridges/twilio/dial/dial.ts'
import type { DialEnd, DialOutcome } from '../../../../src/core/dialler.ts'
import { BridgeError } from '../../../../src/core/errors.ts'
import { FakeClock } from '../../../../src/simulator/fake-clock.ts'
import { FakeLeg } from '../../../../src/simulator/fake-leg.ts'
import { FRAME_SAMPLES } from '../../../../src/transcode/pcm.ts'
import { Lines } from '../harness.ts'
import { FakeCallsApi, restError } from './fake-calls-api.ts'

/** Lets everything that waits for no clock happen. */
const settled = () => new Promise<void>(resolve => setImmediate(resolve))

function dialled({ detects = false, ...api }: { detects?: boolean } & Partial<FakeCallsApi> = {}) {
  const clock = new FakeClock(1_000)
  const calls = Object.assign(new FakeCallsApi(), api)
  const log = new Lines()
  const released: string[] = []
  const joined: string[] = []
  const dial = new Dial(
    'dial-1',
    { to: '+15005550006', invitation: { room: 'r' }, onJoined: id => joined.push(id) },
    {
      to: '+15005550006',
      from: '+15005550001',
      answerUrl: 'https://b/answer',
      statusUrl: 'https://b/status',
      ringSeconds: 30,
      ...(detects ? { machineUrl: 'https://b/machine' } : {}),
    },
    { api: calls, clock, log, random: () => 0.5, release: callSid => released.push(callSid) },
  )
  const seen: { outcome?: DialOutcome; over?: DialEnd } = {}
  void dial.outcome.then(outcome => {
    seen.outcome = outcome
  })
  void dial.over.then(end => {
    seen.over = end
  })
  const stream = (id: string) => {
    const leg = new FakeLeg(id)
    const heard: number[] = []
    const admitted = dial.arriving(leg)
    admitted.attach({ write: frame => heard.push(frame[0] ?? 0), marked() {}, dtmf() {} })
    dial.arrived(leg)
    const say = (value: number) => leg.say(new Int16Array(FRAME_SAMPLES).fill(value))
    return { leg, heard, say }
  }
  return { clock, calls, log, released, joined, dial, seen, stream }
}

describe('a call that is dialled', () => {
  it('is answered: the party is in the room, and the end is told once', async () => {
    const { dial, seen, stream, calls, joined, released } = dialled()
    await settled()
    dial.told('CA1', 'ringing')
    dial.told('CA1', 'in-progress')
    expect(dial.answered('CA1')).toBe(true)
    const { say, heard } = stream('leg-1')
    say(7)
    await settled()
    expect(seen).toEqual({ outcome: { kind: 'answered', participant: 'leg-1' } })
    expect([joined, heard]).toEqual([['leg-1'], [7]])
    dial.told('CA1', 'completed')
    dial.told('CA1', 'completed')
    await settled()
    expect([seen.over, calls.hungUp, released]).toEqual(['hangup', [], ['CA1']])
  })

  it.each([
    ['busy', 'busy'],
    ['no-answer', 'no-answer'],
    ['canceled', 'cancelled'],
    ['completed', 'no-answer'],
  ] as const)('is not answered: Twilio says %s', async (status, kind) => {
    const { dial, seen, calls, clock } = dialled()
    await settled()
    dial.told('CA1', 'ringing')
    dial.told('CA1', status)
    await settled()
    expect(seen).toEqual({ outcome: { kind }, over: kind })
    expect([calls.hungUp, clock.pending]).toEqual([[], 0])
  })

  it('goes on as it should when callbacks come before the request is answered', async () => {
    const created = Promise.withResolvers<string>()
    const { dial, seen, stream, calls } = dialled({ onCreate: () => created.promise })
    dial.told('CA1', 'in-progress')
    dial.told('CA1', 'ringing')
    dial.told('CA1', 'initiated')
    expect(dial.answered('CA1')).toBe(true)
    stream('leg-1')
    created.resolve('CA1')
    await settled()
    expect(seen.outcome).toEqual({ kind: 'answered', participant: 'leg-1' })
    expect(calls.orders).toHaveLength(1)
  })

  it('is over when its last callback comes before the request is answered', async () => {
    const created = Promise.withResolvers<string>()
    const { dial, seen, calls, clock } = dialled({ onCreate: () => created.promise })
    dial.told('CA1', 'busy')
    created.resolve('CA1')
    await settled()
    expect([seen.over, calls.hungUp, clock.pending]).toEqual(['busy', [], 0])
  })

  it('takes no news of another call for its own', async () => {
    const { dial, seen } = dialled()
    await settled()
    dial.told('CA2', 'busy')
    dial.detected('CA2', 'machine_start')
    expect(dial.answered('CA2')).toBe(false)
    await settled()
    expect(seen).toEqual({})
    expect(dial.final).toBe(false)
  })

  it('hangs up when we do, at any stage', async () => {
    const { dial, seen, calls } = dialled()
    await dial.hangUp()
    await dial.hangUp()
    expect([seen, calls.hungUp]).toEqual([{ outcome: { kind: 'cancelled' }, over: 'cancelled' }, ['CA1']])
    expect(dial.answered('CA1')).toBe(false)
  })

  it('hangs up what we let go of before it had a name, as soon as it has one', async () => {
    const created = Promise.withResolvers<string>()
    const { dial, seen, calls } = dialled({ onCreate: () => created.promise })
    const hungUp = dial.hangUp()
    await settled()
    expect([seen.outcome, calls.hungUp]).toEqual([{ kind: 'cancelled' }, []])
    created.resolve('CA1')
    await hungUp
    expect(calls.hungUp).toEqual(['CA1'])
  })

  it('hangs up at the first callback when that is what tells the name', async () => {
    const { dial, calls } = dialled({ onCreate: () => new Promise(() => {}) })
    void dial.hangUp()
    dial.told('CA1', 'ringing')
    await settled()
    expect(calls.hungUp).toEqual(['CA1'])
    dial.told('CA1', 'canceled')
    expect(dial.final).toBe(true)
  })

  it('ends with its leg: when the party hangs up, and when we close it', async () => {
    const first = dialled()
    await settled()
    await first.stream('leg-1').leg.close({ kind: 'hangup', by: 'remote' })
    await settled()
    expect([first.seen.over, first.calls.hungUp]).toEqual(['hangup', []])

    const second = dialled()
    await settled()
    await second.stream('leg-1').leg.close({ kind: 'hangup', by: 'local' })
    await settled()
    expect([second.seen.over, second.calls.hungUp]).toEqual(['hangup', ['CA1']])
  })

  it('lives on when its stream breaks and comes back', async () => {
    const { dial, seen, stream, joined, clock, calls } = dialled()
    await settled()
    const lost = { kind: 'failed', error: new BridgeError('LEG_LOST', 'gone', { retryable: true }) } as const
    await stream('leg-1').leg.close(lost)
    await settled()
    clock.advance(29_000)
    stream('leg-2')
    clock.advance(60_000)
    await settled()
    expect([joined, seen.over, calls.looked]).toEqual([['leg-1', 'leg-2'], undefined, []])
    dial.told('CA1', 'completed')
    await settled()
    expect(seen.over).toBe('hangup')
  })

  it.each([
    ['completed', []],
    ['in-progress', ['CA1']],
  ])('is over when its stream stays away, and Twilio says %s', async (status, hungUp) => {
    const { seen, stream, clock, calls } = dialled({ onStatus: async () => status })
    await settled()
    await stream('leg-1').leg.close({ kind: 'failed', error: new BridgeError('LEG_LOST', 'gone') })
    await settled()
    clock.advance(30_000)
    await settled()
    expect([seen.over, calls.looked, calls.hungUp]).toEqual(['hangup', ['CA1'], hungUp])
  })
})

describe('a call that may be answered by a machine', () => {
  it('is not heard until it is a person', async () => {
    const { dial, seen, stream, joined } = dialled({ detects: true })
    await settled()
    dial.told('CA1', 'in-progress')
    const { say, heard } = stream('leg-1')
    say(7)
    await settled()
    expect([joined, heard, seen.outcome]).toEqual([['leg-1'], [0], undefined])
    dial.detected('CA1', 'human')
    say(8)
    await settled()
    expect([heard, seen.outcome]).toEqual([[0, 8], { kind: 'answered', participant: 'leg-1' }])
  })

  it.each([['unknown'], ['human']])(
    'is a person if Twilio says %s before the stream comes',
    async verdict => {
      const { dial, seen, stream } = dialled({ detects: true })
      await settled()
      dial.detected('CA1', verdict)
      const { say, heard } = stream('leg-1')
      say(7)
      await settled()
      expect([heard, seen.outcome?.kind]).toEqual([[7], 'answered'])
    },
  )

  it('is taken for a person after 4 s without a word', async () => {
    const { seen, stream, clock } = dialled({ detects: true })
    await settled()
    stream('leg-1')
    clock.advance(3_999)
    await settled()
    expect(seen.outcome).toBeUndefined()
    clock.advance(1)
    await settled()
    expect(seen.outcome?.kind).toBe('answered')
  })

  it.each(['machine_start', 'machine_end_beep', 'fax'])('is hung up on: %s', async answeredBy => {
    const { dial, seen, stream, calls } = dialled({ detects: true })
    await settled()
    const { leg } = stream('leg-1')
    dial.detected('CA1', answeredBy)
    dial.detected('CA1', answeredBy)
    await settled()
    expect(seen).toEqual({ outcome: { kind: 'voicemail' }, over: 'voicemail' })
    expect(calls.hungUp).toEqual(['CA1'])
    expect(await leg.ended).toEqual({ kind: 'hangup', by: 'local' })
  })

  it('is hung up on when that is found out late', async () => {
    const { dial, seen, stream, clock } = dialled({ detects: true })
    await settled()
    stream('leg-1')
    clock.advance(4_000)
    dial.detected('CA1', 'machine_end_silence')
    await settled()
    expect(seen).toEqual({ outcome: { kind: 'answered', participant: 'leg-1' }, over: 'voicemail' })
  })

  it('makes nothing of a verdict that it does not know', async () => {
    const { dial, seen } = dialled({ detects: true })
    await settled()
    dial.detected('CA1', 'alien')
    dial.detected('CA1', '')
    await settled()
    expect([seen, dial.state.status]).toEqual([{}, 'queued'])
  })
})

describe('a request that fails', () => {
  it('refused for good is not repeated', async () => {
    const { seen, calls, log } = dialled({ onCreate: () => Promise.reject(restError(400, 21211)) })
    await settled()
    expect(seen.outcome).toMatchObject({ kind: 'failed', error: { code: 'DIAL_FAILED' } })
    expect(calls.orders).toHaveLength(1)
    expect(log.complaints).toEqual([expect.stringContaining('Twilio error 21211')])
  })

  it('is repeated while it was certainly not done, for 10 s', async () => {
    const { seen, calls, clock } = dialled({ onCreate: () => Promise.reject(restError(429, 20429)) })
    for (let s = 0; s < 20; s++) {
      await settled()
      clock.advance(1_000)
    }
    await settled()
    expect(seen.outcome).toMatchObject({ kind: 'failed' })
    expect(calls.orders.length).toBeGreaterThan(3)
    expect(calls.orders.length).toBeLessThan(10)
  })

  it('is done when a repetition works, but not for somebody who has gone', async () => {
    let times = 0
    const onCreate = () => (++times < 3 ? Promise.reject(restError(429)) : Promise.resolve('CA9'))
    const one = dialled({ onCreate })
    for (let s = 0; s < 5; s++) {
      await settled()
      one.clock.advance(1_000)
    }
    one.dial.told('CA9', 'busy')
    await settled()
    expect(one.seen.over).toBe('busy')

    times = 0
    const two = dialled({ onCreate })
    await settled()
    void two.dial.hangUp()
    for (let s = 0; s < 5; s++) {
      two.clock.advance(1_000)
      await settled()
    }
    expect([two.calls.orders.length, two.dial.final, two.seen.over]).toEqual([1, true, 'cancelled'])
  })

  it('that may have been done is never repeated, and the call goes on if it shows', async () => {
    const { dial, seen, calls, clock } = dialled({ onCreate: () => Promise.reject(restError(503)) })
    await settled()
    clock.advance(4_000)
    dial.told('CA1', 'ringing')
    clock.advance(10_000)
    await settled()
    expect([seen, calls.orders.length]).toEqual([{}, 1])
    dial.told('CA1', 'no-answer')
    await settled()
    expect(seen.over).toBe('no-answer')
  })

  it('that may have been done has failed when nothing shows, and what shows later is hung up', async () => {
    const { dial, seen, calls, clock } = dialled({ onCreate: () => Promise.reject(restError(503)) })
    await settled()
    clock.advance(5_000)
    await settled()
    expect(seen.outcome).toMatchObject({
      kind: 'failed',
      error: { message: 'the REST API answered HTTP 503' },
    })
    dial.told('CA1', 'ringing')
    await settled()
    expect([calls.orders.length, calls.hungUp, dial.answered('CA1')]).toEqual([1, ['CA1'], false])
  })

  it('to hang up is repeated, as that does no harm', async () => {
    let times = 0
    const { dial, calls, clock, log } = dialled({
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

  it('to hang up is given up when it is refused, or after some attempts', async () => {
    for (const [status, attempts] of [
      [401, 1],
      [500, 5],
    ] as const) {
      const { dial, calls, clock, log } = dialled({ onHangUp: () => Promise.reject(restError(status)) })
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

describe('callbacks that never come', () => {
  it.each([
    ['busy', 'busy', []],
    ['no-answer', 'no-answer', []],
    ['ringing', 'no-answer', ['CA1']],
  ])('are asked for once they are overdue: %s', async (status, over, hungUp) => {
    const { dial, seen, calls, clock } = dialled({ onStatus: async () => status })
    await settled()
    dial.told('CA1', 'ringing')
    clock.advance(44_999)
    await settled()
    expect(calls.looked).toEqual([])
    clock.advance(1)
    await settled()
    expect([seen.over, calls.hungUp]).toEqual([over, hungUp])
  })

  it('leave nothing behind when Twilio cannot be asked either', async () => {
    const { seen, calls, clock } = dialled({ onStatus: () => Promise.reject(restError(500)) })
    await settled()
    clock.advance(75_000)
    await settled()
    expect([seen.over, calls.hungUp]).toEqual(['no-answer', ['CA1']])
  })

  it('a call that was answered has 15 s to stream', async () => {
    const { dial, seen, clock, calls } = dialled()
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
    const { dial, seen, calls } = dialled()
    await settled()
    dial.turnedAway(new BridgeError('CAPACITY', 'full'))
    await settled()
    expect([seen.outcome, calls.hungUp]).toEqual([
      { kind: 'failed', error: expect.objectContaining({ code: 'CAPACITY' }) },
      ['CA1'],
    ])
  })
})

it('no number is logged, whatever happens', async () => {
  const { dial, log } = dialled({ onCreate: () => Promise.reject(restError(400, 21211)) })
  await settled()
  void dial.hangUp()
  expect(log.all.length).toBeGreaterThan(0)
  expect(JSON.stringify(log.all)).not.toContain('+1500')
})
