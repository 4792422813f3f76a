import Fastify from 'fastify'
import { expect } from 'vitest'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import type { Carrier, CarrierApi } from '../../../src/bridges/phone/carrier.ts'
import { type CarrierBridgeOptions, registerCarrier } from '../../../src/bridges/phone/carrier-bridge.ts'
import type { IncomingCall } from '../../../src/bridges/phone/incoming-call.ts'
import type { PhoneLeg } from '../../../src/bridges/phone/leg/phone-leg.ts'
import { CarrierDialer } from '../../../src/bridges/phone/outbound/carrier-dialer.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import type { Leg } from '../../../src/core/model/leg.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { FakeAnnouncer, noticeHz } from '../relay/fake-announcer.ts'
import { sine } from '../transcode/tone.ts'
import { pause, until } from '../until.ts'
import type { Checks } from './suite.ts'

/** End of a call as its phone notices it: the participant or the other side hung up, or the call was rejected. */
export type PhoneEnd = 'hung-up' | 'busy' | 'rejected'

/** The behaviour of a called phone. */
export type Callee = 'answers' | 'rings' | 'is-busy' | 'is-a-machine'

/** A phone in a call, which follows the carrier’s instructions. */
export interface CarrierPhone {
  /** Says `pcm` (16 kHz) on the stream. */
  say(pcm: Int16Array): void
  /** Presses keys, on the stream or for a menu. */
  press(keys: string): void
  /** Everything played to the phone so far: 8 kHz. */
  heard(): Int16Array
  /** The texts that the carrier spoke. */
  said(): readonly string[]
  hangUp(): void
  /** Breaks the connection of the stream; the call continues. */
  drop(): void
  readonly ended: Promise<PhoneEnd>
}

/** The carrier’s end: phones, and the REST API. */
export interface CarrierNetwork extends AsyncDisposable {
  readonly api: CarrierApi
  /** The next called phone. Default: it answers, by a person. */
  callee: Callee
  /** The bridge listens at this address; its routes are below the name of the carrier. */
  serve(bridge: string): void
  /** Calls the bridge. */
  call(from: string, to: string): Promise<CarrierPhone>
  /** Waits for the phone that answers a call from the bridge. */
  answered(): Promise<CarrierPhone>
  /** True if all calls placed by the bridge are over. */
  over(): boolean
  /** Sends a webhook and an upgrade without a valid signature; returns the HTTP status of each. */
  forge(signature: 'none' | 'wrong'): Promise<{ webhook: number; upgrade: number }>
}

/** An implementation of a carrier, and its network. */
export interface TelephonySubject {
  readonly carrier: Carrier
  readonly network: CarrierNetwork
  readonly api: CarrierApi
  /** Maximum round trip (ms). */
  readonly patienceMs: number
}

const CALLER = '+15005550006'
const DESK = '+15005550001'
const CALLEE = '+34600111222'

/** A leg as the program sees it. */
interface Admitted {
  readonly leg: Leg
  readonly invitation: Invitation
  readonly frames: Int16Array[]
  readonly marks: string[]
  readonly keys: string[]
  end: EndReason | undefined
}

/** A bridge of the subject on loopback, with signatures; records its legs unless `relay` takes them. */
async function open(subject: TelephonySubject, options: Partial<CarrierBridgeOptions> = {}) {
  const app = Fastify({ forceCloseConnections: true })
  const legs: Admitted[] = []
  const invited: IncomingCall[] = []
  const dialer = new CarrierDialer({ from: DESK, allowedPrefixes: ['+34'] }, { api: subject.api })
  await registerCarrier(app, subject.carrier, {
    relay: { admit: (leg, invitation) => void legs.push(attached(leg, invitation)) },
    local: true,
    dialer,
    limits: { stoppedMs: 50 },
    ...options,
    invite: call => {
      invited.push(call)
      return options.invite?.(call) ?? { room: call.callId }
    },
  })
  subject.network.serve(await app.listen({ host: '127.0.0.1', port: 0 }))
  const soon = <T>(what: string, look: () => T | undefined | false) => until(look, subject.patienceMs, what)
  const ring = () => subject.network.call(CALLER, DESK)
  return {
    ...{ legs, invited, dialer, soon, ring },
    /** A call up to its leg. */
    async talk() {
      const phone = await ring()
      return { phone, got: await soon('a leg', () => legs[0]) }
    },
    /** The result of `promise`, in time. */
    async outcome<T>(what: string, promise: Promise<T>): Promise<T> {
      let settled: { value: T } | undefined
      void promise.then(value => {
        settled = { value }
      })
      return (await soon(what, () => settled)).value
    },
    dial: () => dialer.dial({ to: CALLEE, invitation: { room: 'out' } }),
    async [Symbol.asyncDispose]() {
      await app.close()
    },
  }
}

function attached(leg: Leg, invitation: Invitation): Admitted {
  const got: Admitted = { leg, invitation, frames: [], marks: [], keys: [], end: undefined }
  leg.attach({
    write: frame => void got.frames.push(frame.slice()),
    marked: name => void got.marks.push(name),
    dtmf: digit => void got.keys.push(digit),
  })
  void leg.ended.then(reason => {
    got.end = reason
  })
  return got
}

/** Duration of `hz` in `pcm`, to 20 ms. */
function toneMs(pcm: Int16Array, hz: number, rate: number): number {
  const step = rate / 50
  let ms = 0
  for (let at = 0; at + step <= pcm.length; at += step)
    if (loudness(pcm.subarray(at, at + step), hz, rate) > 1_500) ms += 20
  return ms
}

const heardMs = (phone: CarrierPhone, hz: number) => toneMs(phone.heard(), hz, 8_000)
const spokenMs = ({ frames }: Admitted, hz: number) =>
  frames.reduce((ms, frame) => ms + toneMs(frame, hz, 16_000), 0)

/** Checks that every carrier passes, by what is heard and known at both ends of its calls. */
export const telephonyChecks: Checks<TelephonySubject> = {
  async 'carries speech to the service, and plays its translation'(subject) {
    const translator = new FakeTranslator()
    await using relay = new Relay({ translator, options: relayOptions({}) })
    await relay.ready()
    const stages: string[] = []
    relay.observer.on('utterance', ({ stage }) => stages.push(stage))
    const invite = () => ({ room: 'r', speaks: 'en-us', hears: 'es-es' }) as const
    await using bridge = await open(subject, { relay, invite })
    const phone = await bridge.ring()
    await bridge.soon('the leg', () => relay.legs === 1)
    phone.say(sine(500, 600))
    const connection = await bridge.soon('a session', () => translator.connections[0])
    const sent = () => Int16Array.from(connection.sent.flatMap(({ bytes }) => [...samplesOf(bytes)]))
    await bridge.soon('speech at the service', () => toneMs(sent(), 500, 16_000) >= 500)
    const audio = bytesOf(sine(1_500, 400))
    connection.sink.result({ utterance: '1', final: true, text: 'a', translation: 'b', audio })
    connection.sink.endOfSpeech('1')
    await bridge.soon('the translation', () => heardMs(phone, 1_500) >= 360)
    await bridge.soon('its mark', () => stages.includes('heard'))
  },

  async 'describes the call, and is the channel of its leg'(subject) {
    await using bridge = await open(subject)
    const { got } = await bridge.talk()
    const [call] = bridge.invited
    expect(call).toMatchObject({ from: CALLER, to: DESK, callId: got.leg.call })
    expect(call?.callId).toBeTruthy()
    expect(got.leg.channel).toBe(subject.carrier.name)
  },

  async 'confirms a mark once the audio before it was played'(subject) {
    await using bridge = await open(subject)
    const { phone, got } = await bridge.talk()
    got.leg.play(sine(500, 300))
    got.leg.mark('one')
    got.leg.play(sine(500, 100))
    got.leg.mark('two')
    await pause(100)
    expect(got.marks).toEqual([])
    await bridge.soon('marks', () => got.marks.length === 2)
    expect(got.marks).toEqual(['one', 'two'])
    await bridge.soon('the audio', () => heardMs(phone, 500) >= 360)
  },

  async 'drops queued audio when it is flushed, and confirms none of its marks'(subject) {
    await using bridge = await open(subject)
    const { phone, got } = await bridge.talk()
    got.leg.play(sine(500, 2_000))
    got.leg.mark('never')
    got.leg.flush()
    got.leg.play(sine(1_500, 200))
    got.leg.mark('later')
    await bridge.soon('the next mark', () => got.marks.length > 0)
    expect(got.marks).toEqual(['later'])
    await bridge.soon('the next audio', () => heardMs(phone, 1_500) >= 160)
    expect(heardMs(phone, 500)).toBeLessThan(600)
  },

  async 'delivers keys, each once and in order'(subject) {
    await using bridge = await open(subject)
    const { phone, got } = await bridge.talk()
    phone.press('1#*0')
    await bridge.soon('keys', () => got.keys.length >= 4)
    await pause(50)
    expect(got.keys).toEqual(['1', '#', '*', '0'])
  },

  async 'continues as the same call after its stream was lost'(subject) {
    await using bridge = await open(subject)
    const { phone, got } = await bridge.talk()
    phone.drop()
    const again = await bridge.soon('another leg', () => bridge.legs[1])
    expect(again.leg.call).toBe(got.leg.call)
    expect(again.invitation).toEqual(got.invitation)
    // The next stream may arrive before the end of the lost one is noticed.
    if (got.end?.kind !== 'replaced')
      expect(got.end).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
    again.leg.play(sine(1_500, 200))
    phone.say(sine(500, 300))
    await bridge.soon('audio', () => heardMs(phone, 1_500) >= 160 && spokenMs(again, 500) >= 240)
  },

  async 'continues as the same call after its server handed it over'(subject) {
    await using bridge = await open(subject)
    const { phone, got } = await bridge.talk()
    expect((got.leg as PhoneLeg).handOver()).toBe(true)
    const again = await bridge.soon('another leg', () => bridge.legs[1])
    expect([again.leg.call, again.invitation]).toEqual([got.leg.call, got.invitation])
    expect(got.end).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST', retryable: true } })
    again.leg.play(sine(1_500, 200))
    await bridge.soon('audio', () => heardMs(phone, 1_500) >= 160)
  },

  async 'rejects a call as busy'(subject) {
    await using bridge = await open(subject, { invite: () => ({ refused: 'busy' }) })
    const phone = await bridge.ring()
    expect(await bridge.outcome('the end', phone.ended)).toBe('busy')
    expect(bridge.legs).toEqual([])
  },

  async 'speaks a text, and hangs up'(subject) {
    const notice = { text: 'Sorry & <goodbye>.', language: 'en-GB' }
    await using bridge = await open(subject, { invite: () => ({ refused: 'rejected', notice }) })
    const phone = await bridge.ring()
    expect(await bridge.outcome('the end', phone.ended)).toBe('hung-up')
    expect(phone.said()).toEqual([notice.text])
  },

  async 'plays a menu, and reads the answer'(subject) {
    const languages = ['en-us', 'es-es'] as const
    await using bridge = await open(subject, {
      announcer: new FakeAnnouncer(),
      invite: ({ answers: { language } }) =>
        language === undefined ? { ask: 'language', languages } : { room: 'r', speaks: language },
    })
    const phone = await bridge.ring()
    await bridge.soon('the question', () => heardMs(phone, noticeHz('choose-language')) >= 300)
    phone.press('2')
    const got = await bridge.soon('a leg', () => bridge.legs[0])
    expect(got.invitation.speaks).toBe('es-es')
  },

  async 'rejects requests without a valid signature'(subject) {
    await using bridge = await open(subject)
    const forged = [await subject.network.forge('none'), await subject.network.forge('wrong')]
    expect(forged).toEqual(Array(2).fill({ webhook: 403, upgrade: 403 }))
    expect([bridge.invited, bridge.legs]).toEqual([[], []])
  },

  async 'ends the leg when the caller hangs up'(subject) {
    await using bridge = await open(subject)
    const { phone, got } = await bridge.talk()
    phone.hangUp()
    await bridge.soon('the end', () => got.end)
    expect(got.end).toEqual({ kind: 'hangup', by: 'remote' })
  },

  async 'hangs up when the leg is closed'(subject) {
    await using bridge = await open(subject)
    const { phone, got } = await bridge.talk()
    await got.leg.close({ kind: 'hangup', by: 'local' })
    expect(await bridge.outcome('the end', phone.ended)).toBe('hung-up')
    expect(bridge.legs).toHaveLength(1)
  },

  async 'places a call, and connects whoever answers'(subject) {
    await using bridge = await open(subject)
    const call = bridge.dial()
    const phone = await bridge.outcome('an answer', subject.network.answered())
    expect(await bridge.outcome('the outcome', call.outcome)).toMatchObject({ kind: 'answered' })
    const [got] = bridge.legs
    got?.leg.play(sine(1_500, 200))
    await bridge.soon('audio', () => heardMs(phone, 1_500) >= 160)
    phone.hangUp()
    expect(await bridge.outcome('the end', call.over)).toBe('hangup')
  },

  async 'reports that a called phone is busy'(subject) {
    await using bridge = await open(subject)
    subject.network.callee = 'is-busy'
    expect(await bridge.outcome('the outcome', bridge.dial().outcome)).toEqual({ kind: 'busy' })
  },

  async 'hangs up on an answering machine'(subject) {
    await using bridge = await open(subject)
    subject.network.callee = 'is-a-machine'
    expect(await bridge.outcome('the outcome', bridge.dial().outcome)).toEqual({ kind: 'voicemail' })
    await bridge.soon('the end of the call', () => subject.network.over())
  },

  async 'cancels a call that rings'(subject) {
    await using bridge = await open(subject)
    subject.network.callee = 'rings'
    const call = bridge.dial()
    await bridge.soon('ringing', () => bridge.dialer.get(call.id)?.state.status === 'ringing')
    await call.hangUp()
    expect(await call.outcome).toEqual({ kind: 'canceled' })
    await bridge.soon('the end of the call', () => subject.network.over())
  },

  async 'tells the state of a call'(subject) {
    await using bridge = await open(subject)
    const call = bridge.dial()
    const phone = await bridge.outcome('an answer', subject.network.answered())
    await bridge.outcome('the outcome', call.outcome)
    const callId = bridge.legs[0]?.leg.call ?? ''
    expect(await subject.api.status(callId)).toEqual({ type: 'picked-up' })
    phone.hangUp()
    await bridge.outcome('the end', call.over)
    await bridge.soon('the end of the call', () => subject.network.over())
    expect(await subject.api.status(callId)).toEqual({ type: 'final', status: 'completed' })
    await subject.api.hangUp(callId)
  },
}

function bytesOf(pcm: Int16Array): Uint8Array {
  return new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)
}

function samplesOf(bytes: Uint8Array): Int16Array {
  return new Int16Array(bytes.slice().buffer)
}
