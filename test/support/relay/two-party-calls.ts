import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { TwoPartyCalls, type TwoPartyCallsOptions } from '../../../src/core/calls/two-party-calls.ts'
import type { NoticeName } from '../../../src/core/model/announcer.ts'
import type { DialPlan, Invitation } from '../../../src/core/model/invitation.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { LogLines } from '../log-lines.ts'
import { sine } from '../transcode/tone.ts'
import { FakeAnnouncer, NOTICE_MS, noticeHz } from './fake-announcer.ts'
import { FakeDialer } from './fake-dialer.ts'
import { wakeSessions } from './hello.ts'
import { rooms } from './rooms.ts'

export const TO = '+15005550006'
export const PLAN: DialPlan = { to: TO, callee: { speaks: 'en-us', hears: 'en-us', name: 'Desk' } }
export const CALLER_HZ = 440
export const CALLEE_HZ = 520
export const GUEST_HZ = 770
export const LOST: EndReason = {
  kind: 'failed',
  error: new BridgeError('LEG_LOST', 'gone', { retryable: true }),
}

/** A switchboard on a relay with a simulated clock; every participant is one tone, each notice another. */
export async function switchboard(options: Partial<TwoPartyCallsOptions> = {}) {
  const { clock, relay, translator, answer, connection } = await rooms({ connectTimeoutMs: 0 })
  const announcer = new FakeAnnouncer()
  const dialer = new FakeDialer()
  const log = new LogLines()
  const board = new TwoPartyCalls({ relay, announcer, dialer, clock, log, ...options })
  const legs = new Map<FakeLeg, { pcm: Int16Array; at: number; heardAt: number[] }>()

  const admit = (id: string, invitation: Invitation, call?: string) => {
    const leg = new FakeLeg(id, call)
    legs.set(leg, { pcm: new Int16Array(0), at: 0, heardAt: [] })
    board.admit(leg, invitation)
    return leg
  }
  const say = (leg: FakeLeg, hz: number, ms: number) => {
    legs.set(leg, { ...legs.get(leg)!, pcm: sine(hz, ms), at: 0 })
  }
  /** Every 20 ms each participant delivers a frame and hears the played audio. */
  const run = async (ms: number) => {
    for (let t = 0; t < ms; t += 20) {
      wakeSessions(relay, clock.now())
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
  /** Audio of `leg` in the last `ms` of the elapsed time. */
  const lately = (leg: FakeLeg, ms: number) => {
    const { heardAt } = legs.get(leg)!
    return leg.sounded().subarray(heardAt.at(-1 - ms / 20) ?? 0)
  }
  const hears = (pcm: Int16Array, hz: number) => pcm.length > 0 && loudness(pcm, hz, 16_000) > 300
  /** The notices that `leg` has heard, in order; a notice counts if it is loud for half its length. */
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
      'minutes-spent',
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
  /** The callee picks up; `answered` unless it can be a machine. */
  const pickUp = (id = 'callee', answered = true) => {
    const leg = admit(id, dialer.last.request.invitation)
    if (answered) dialer.last.become({ kind: 'answered', participant: id })
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
    dialer,
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
