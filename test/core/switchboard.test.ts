import { describe, expect, it } from 'vitest'
import type { NoticeName } from '../../src/core/announcer.ts'
import type { DialOutcome } from '../../src/core/dialler.ts'
import { BridgeError, type EndReason } from '../../src/core/errors.ts'
import type { DialPlan, Invitation } from '../../src/core/invitation.ts'
import { Switchboard, type SwitchboardParts } from '../../src/core/switchboard.ts'
import { FakeLeg } from '../../src/simulator/fake-leg.ts'
import { loudness } from '../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import { FakeAnnouncer, NOTICE_MS, noticeHz, toneHz } from '../helpers/fake-announcer.ts'
import { FakeDialler } from '../helpers/fake-dialler.ts'
import { LogLines } from '../helpers/log-lines.ts'
import { rooms } from '../helpers/rooms.ts'
import { sine } from '../helpers/tone.ts'

const TO = '+15005550006'
const PLAN: DialPlan = { to: TO, callee: { speaks: 'en-us', hears: 'en-us', name: 'Desk' } }
const CALLER_HZ = 440
const CALLEE_HZ = 520
const GUEST_HZ = 770
const LOST: EndReason = { kind: 'failed', error: new BridgeError('LEG_LOST', 'gone', { retryable: true }) }

/** A switchboard on a relay whose clock stands still; every party is one tone, each notice another. */
async function open(options: Partial<SwitchboardParts> = {}) {
  const { clock, relay, translator, answer, connection } = await rooms({ awayAfterMs: 0 })
  const announcer = new FakeAnnouncer()
  const dialler = new FakeDialler()
  const log = new LogLines()
  const board = new Switchboard({ relay, announcer, dialler, clock, log, ...options })
  const legs = new Map<FakeLeg, { pcm: Int16Array; at: number; heardAt: number[] }>()

  const admit = (id: string, invitation: Invitation) => {
    const leg = new FakeLeg(id)
    legs.set(leg, { pcm: new Int16Array(0), at: 0, heardAt: [] })
    board.admit(leg, invitation)
    return leg
  }
  const say = (leg: FakeLeg, hz: number, ms: number) => {
    legs.set(leg, { ...legs.get(leg)!, pcm: sine(hz, ms), at: 0 })
  }
  /** Every 20 ms each party delivers a frame and hears what has been played to it. */
  const run = async (ms: number) => {
    for (let t = 0; t < ms; t += 20) {
      for (const [leg, voice] of legs) {
        const frame = voice.pcm.subarray(voice.at, voice.at + FRAME_SAMPLES)
        voice.at += FRAME_SAMPLES
        leg.uplink?.write(frame.length === FRAME_SAMPLES ? frame : new Int16Array(FRAME_SAMPLES))
        leg.hear()
        voice.heardAt.push(leg.sounded().length)
      }
      clock.advance(20)
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    }
  }
  /** What `leg` heard in the last `ms` of the time that ran. */
  const lately = (leg: FakeLeg, ms: number) => {
    const { heardAt } = legs.get(leg)!
    return leg.sounded().subarray(heardAt.at(-1 - ms / 20) ?? 0)
  }
  const hears = (pcm: Int16Array, hz: number) => pcm.length > 0 && loudness(pcm, hz, 16_000) > 300
  /** The notices that `leg` has heard, in order; a notice counts where it is loud for half its length. */
  const notices = (leg: FakeLeg): string[] => {
    const pcm = leg.sounded()
    const found: string[] = []
    const names: NoticeName[] = [
      'connecting',
      'connected',
      'incoming',
      'busy',
      'no-answer',
      'call-failed',
      'voicemail',
      'other-left',
      'line-full',
      'time-up',
    ]
    const step = (NOTICE_MS / 2) * 16
    for (let at = 0; at + step <= pcm.length; at += step / 2) {
      const window = pcm.subarray(at, at + step)
      const name = names.find(each => loudness(window, noticeHz(each), 16_000) > 4_000)
      if (name && found.at(-1) !== name) found.push(name)
    }
    return found
  }
  const caller = (plan: Partial<DialPlan> = {}, id = 'caller', room = 'r') =>
    admit(id, { room, speaks: 'es-es', hears: 'es-es', name: 'Ana', dial: { ...PLAN, ...plan } })
  /** Whoever was called picks up; `answered` unless it may be a machine. */
  const pickUp = (id = 'callee', answered = true) => {
    const leg = admit(id, dialler.last.request.invitation)
    if (answered) dialler.last.become({ kind: 'answered', participant: id })
    return leg
  }
  const ended = async (leg: FakeLeg) => {
    const unsettled = Symbol('live')
    return (await Promise.race([leg.ended, Promise.resolve(unsettled)])) !== unsettled
  }
  return {
    clock,
    relay,
    translator,
    answer,
    connection,
    announcer,
    dialler,
    log,
    board,
    admit,
    say,
    run,
    lately,
    hears,
    notices,
    caller,
    pickUp,
    ended,
  }
}

describe('a caller', () => {
  it('hears who is called, then the ringing tone until the answer, then that they are connected', async () => {
    const line = await open()
    const ana = line.caller()
    await line.run(3_000)
    expect(line.dialler.last.request).toMatchObject({
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
    expect(line.board.calls).toBe(1)
  })

  it('and whoever was called hear each other, translated', async () => {
    const line = await open()
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

  it('is not heard by the telephone that rings, neither then nor later', async () => {
    const line = await open()
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

  it('goes on hearing it ring while a machine may have answered, and is not heard', async () => {
    const line = await open()
    const ana = line.caller()
    await line.run(1_500)
    const desk = line.pickUp('callee', false)
    line.say(ana, CALLER_HZ, 3_000)
    await line.run(3_000)
    expect(line.hears(line.lately(ana, 1_000), toneHz('ringback'))).toBe(true)
    expect(line.hears(desk.sounded(), CALLER_HZ)).toBe(false)
    expect(line.notices(desk)).toEqual(['incoming'])
    line.dialler.last.become({ kind: 'answered', participant: 'callee' })
    await line.run(1_500)
    expect(line.notices(ana)).toEqual(['connecting', 'connected'])
  })

  const failed = (code: 'DIAL_FAILED' | 'CAPACITY'): DialOutcome => ({
    kind: 'failed',
    error: new BridgeError(code, 'no'),
  })
  it.each<[NoticeName, DialOutcome]>([
    ['busy', { kind: 'busy' }],
    ['no-answer', { kind: 'no-answer' }],
    ['voicemail', { kind: 'voicemail' }],
    ['call-failed', failed('DIAL_FAILED')],
    ['line-full', failed('CAPACITY')],
    ['no-answer', { kind: 'cancelled' }],
  ])('is told in their language, and hung up: %s', async (notice, outcome) => {
    const line = await open()
    const ana = line.caller()
    await line.run(1_500)
    line.dialler.last.become(outcome)
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
  ] as const)('is told when the dialler refuses: %s', async (code, notice) => {
    const line = await open()
    line.dialler.refuse = new BridgeError(code, 'not dialled')
    const ana = line.caller()
    await line.run(2_000)
    expect(line.notices(ana)).toEqual(['connecting', notice])
    expect(await line.ended(ana)).toBe(true)
  })

  it('is told when nobody can be called at all', async () => {
    const line = await open({ dialler: undefined })
    const ana = line.caller()
    await line.run(2_000)
    expect(line.notices(ana)).toEqual(['connecting', 'call-failed'])
    expect(await line.ended(ana)).toBe(true)
  })

  it('stays when that is wanted, and somebody else may join', async () => {
    const line = await open()
    const ana = line.caller({ unanswered: 'stay' })
    await line.run(1_500)
    line.dialler.last.become({ kind: 'busy' })
    await line.run(5_000)
    expect([line.notices(ana), await line.ended(ana)]).toEqual([['connecting', 'busy'], false])
    const guest = line.admit('guest', { room: 'r', speaks: 'es-mx', hears: 'es-mx', echo: false })
    line.say(ana, CALLER_HZ, 1_000)
    await line.run(1_000)
    expect(line.hears(guest.sounded(), CALLER_HZ)).toBe(true)
  })

  it('who hangs up while it rings takes the other call along', async () => {
    const line = await open()
    const ana = line.caller()
    await line.run(1_000)
    await ana.close({ kind: 'hangup', by: 'remote' })
    await line.run(100)
    expect(line.dialler.last.hungUp).toBeGreaterThan(0)
    expect([line.board.calls, line.relay.rooms.size]).toEqual([0, 0])
  })

  it('whose stream breaks while it rings finds it ringing still, and nobody is called twice', async () => {
    const line = await open()
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
    expect([line.dialler.calls.length, line.dialler.last.hungUp]).toEqual([1, 0])
  })

  it('who comes back after the call was over does not make it ring again', async () => {
    const line = await open()
    const invitation: Invitation = { room: 'r', speaks: 'es-es', hears: 'es-es', dial: PLAN }
    const ana = line.admit('caller', invitation)
    await line.run(1_000)
    line.dialler.last.become({ kind: 'busy' })
    await line.run(40)
    await ana.close(LOST)
    await line.run(1_000)
    const again = line.admit('caller-2', invitation)
    await line.run(100)
    expect(await again.ended).toEqual({ kind: 'hangup', by: 'local' })
    expect(line.dialler.calls).toHaveLength(1)
  })
})

describe('two who talk', () => {
  async function talking(options: Partial<SwitchboardParts> = {}) {
    const line = await open(options)
    const ana = line.caller()
    await line.run(1_000)
    const desk = line.pickUp()
    await line.run(1_500)
    return { ...line, ana, desk }
  }

  it.each(['ana', 'desk'] as const)(
    'end together: when %s hangs up the other is told, and hung up',
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
      expect(line.dialler.last.hungUp).toBeGreaterThan(0)
      expect([line.board.calls, line.relay.rooms.size]).toEqual([0, 0])
    },
  )

  it('hear last words out before they are told, for 3 s at most', async () => {
    const line = await talking()
    line.say(line.desk, CALLEE_HZ, 300)
    await line.run(300)
    await line.desk.close({ kind: 'hangup', by: 'remote' })
    await line.run(600)
    // What was said last comes from the service only now.
    line.answer('en-us', 'es-es', 1_200, 8_000)
    await line.run(1_500)
    expect(line.hears(line.lately(line.ana, 1_000), 1_200)).toBe(true)
    expect(line.notices(line.ana)).toEqual(['connecting', 'connected'])
    await line.run(1_500)
    expect(line.notices(line.ana).at(-1)).toBe('other-left')
    expect(await line.ended(line.ana)).toBe(true)
  })

  it('are ended by the word that the call is over, whatever the socket says', async () => {
    const line = await talking()
    line.dialler.last.end('hangup')
    await line.run(2_500)
    expect(line.notices(line.ana).at(-1)).toBe('other-left')
    expect([await line.ended(line.ana), await line.ended(line.desk)]).toEqual([true, true])
  })

  it('are told when the other was a machine after all', async () => {
    const line = await talking()
    line.dialler.last.end('voicemail')
    await line.desk.close({ kind: 'hangup', by: 'local' })
    await line.run(2_000)
    expect(line.notices(line.ana).at(-1)).toBe('voicemail')
    expect(await line.ended(line.ana)).toBe(true)
  })

  it('who both hang up at once leave nothing behind', async () => {
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

  it('go on with a third when one of them hangs up, and end when one is left', async () => {
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

  it('wait 10 s for a stream that broke, and no longer', async () => {
    const line = await talking()
    await line.desk.close(LOST)
    await line.run(9_000)
    expect(await line.ended(line.ana)).toBe(false)
    const back = line.admit('callee-2', line.dialler.last.request.invitation)
    line.say(back, CALLEE_HZ, 1_000)
    await line.run(2_000)
    expect(line.hears(line.lately(line.ana, 2_000), CALLEE_HZ)).toBe(true)
    expect(line.announcer.asked.filter(asked => asked.startsWith('incoming'))).toHaveLength(1)
    await back.close(LOST)
    await line.run(10_000)
    await line.run(2_500)
    expect([line.notices(line.ana).at(-1), await line.ended(line.ana)]).toEqual(['other-left', true])
  })

  it('are told when their time is up, both, and hung up', async () => {
    const line = await talking({ maxMinutes: 0.1 })
    expect(line.dialler.last.request.limitSeconds).toBe(66)
    await line.run(3_400)
    expect(await line.ended(line.ana)).toBe(false)
    await line.run(1_000)
    expect([line.notices(line.ana).at(-1), line.notices(line.desk).at(-1)]).toEqual(['time-up', 'time-up'])
    expect([await line.ended(line.ana), await line.ended(line.desk)]).toEqual([true, true])
    expect(line.clock.pending).toBe(0)
  })
})

describe('a switchboard', () => {
  it('never mixes calls, not even from one number', async () => {
    const line = await open()
    const one = line.caller({}, 'one', 'call 1')
    const two = line.caller({}, 'two', 'call 2')
    await line.run(1_000)
    const [first, second] = line.dialler.calls
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

  it('tells whoever would open one room too many that the lines are full', async () => {
    const line = await open({ maxRooms: 1 })
    const ana = line.caller({}, 'one', 'call 1')
    const late = line.caller({}, 'two', 'call 2')
    line.admit('guest', { room: 'call 1', hears: 'en-us' })
    await line.run(1_000)
    expect(line.notices(late)).toEqual(['line-full'])
    expect(line.announcer.asked).toContain('line-full es-es')
    expect([await line.ended(ana), await line.ended(late)]).toEqual([false, true])
    expect([line.dialler.calls.length, line.relay.rooms.size]).toEqual([1, 1])
  })

  it('lets everybody else through as they are, for as long as they may stay', async () => {
    const line = await open({ maxMinutes: 0.05 })
    const solo = line.admit('solo', { room: 'own', speaks: 'en-us', hears: 'es-es' })
    await line.run(500)
    line.answer('en-us', 'es-es', 1_000, 400)
    await line.run(1_000)
    expect(line.hears(solo.sounded(), 1_000)).toBe(true)
    await line.run(2_500)
    expect([line.notices(solo), await line.ended(solo)]).toEqual([['time-up'], true])
  })

  it('gives nobody more time for a new leg', async () => {
    const line = await open({ maxMinutes: 0.1 })
    const invitation: Invitation = { room: 'own', speaks: 'en-us', hears: 'es-es' }
    const first = line.admit('first', invitation)
    await line.run(5_000)
    await first.close(LOST)
    const second = line.admit('second', invitation)
    await line.run(2_000)
    expect(await line.ended(second)).toBe(true)
  })

  it('leaves a leg that the relay refuses to whoever brought it', async () => {
    const line = await open()
    await line.relay.close()
    expect(() => line.caller()).toThrow('closing')
    expect([line.board.calls, line.dialler.calls]).toEqual([0, []])
  })

  it('logs neither numbers nor names', async () => {
    const line = await open()
    line.caller()
    await line.run(500)
    line.dialler.last.become({ kind: 'busy' })
    await line.run(2_000)
    expect(line.log.all.length).toBeGreaterThan(0)
    expect(JSON.stringify(line.log.all)).not.toMatch(/\+1500|Ana|Desk/)
  })
})
