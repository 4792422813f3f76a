import { describe, expect, test } from 'vitest'
import { PlivoCallsApi } from '../../../src/bridges/plivo/calls-api.ts'
import { plivoCarrier } from '../../../src/bridges/plivo/carrier.ts'
import { plivoMedia } from '../../../src/bridges/plivo/wire.ts'
import { SignalwireCallsApi } from '../../../src/bridges/signalwire/calls-api.ts'
import { signalwireCarrier } from '../../../src/bridges/signalwire/carrier.ts'
import { jsonMedia } from '../../../src/bridges/telephony/json-media/json-media.ts'
import type { Carrier } from '../../../src/bridges/telephony/ports/carrier.ts'
import type { CarrierApi } from '../../../src/bridges/telephony/ports/carrier-api.ts'
import { TelnyxCallsApi } from '../../../src/bridges/telnyx/calls-api.ts'
import { telnyxCarrier } from '../../../src/bridges/telnyx/carrier.ts'
import { TwilioCallsApi, twilioCarrier } from '../../../src/bridges/twilio/index.ts'
import {
  listenPlivo,
  listenSignalwire,
  listenTelnyx,
  type PhoneProfile,
  plivoProfile,
  signalwireProfile,
  signTelnyx,
  TwilioSimulator,
  telnyxProfile,
  telnyxPublicKey,
} from '../../../src/simulator/index.ts'
import { twilioProfile } from '../../../src/simulator/twilio/phone/profile.ts'
import { conforms } from '../../support/conformance/suite.ts'
import { type TelephonySubject, telephonyChecks } from '../../support/conformance/telephony.ts'
import { toyCarrier } from '../../support/conformance/toy-carrier.ts'
import { ToyNetwork } from '../../support/conformance/toy-network.ts'
import { TwilioNetwork } from '../../support/conformance/twilio-network.ts'

// Both are made as docs/how-to/add-a-carrier.md describes.
const SECRET = 'a secret of the toy'

interface Changes {
  carrier?: (right: Carrier) => Carrier
  api?: (right: CarrierApi) => CarrierApi
}

async function toy({ carrier = it => it, api = it => it }: Changes = {}): Promise<TelephonySubject> {
  const network = await ToyNetwork.open(SECRET)
  return { carrier: carrier(toyCarrier(SECRET)), network, api: api(network.api), patienceMs: 3_000 }
}

const NUMBERS = { numbers: { '+15005550001': {} } }

/** A carrier by its simulator. `shuffled`: its media arrives in any order. */
function simulated(
  simulator: TwilioSimulator,
  profile: PhoneProfile,
  carrier: Carrier,
  api: CarrierApi,
  { forged, shuffled = false }: { forged: Record<string, string>; shuffled?: boolean },
): TelephonySubject {
  const quirks = shuffled ? { quirks: { shuffleMs: 60 } } : undefined
  const network = new TwilioNetwork({ simulator, api, profile, forged, ...(quirks ? { quirks } : {}) })
  return { carrier, network, api, patienceMs: 8_000 }
}

async function twilio({ carrier = it => it, api = it => it }: Changes = {}): Promise<TelephonySubject> {
  const simulator = await TwilioSimulator.listen(NUMBERS)
  const { url, accountSid, authToken } = simulator
  const forged = { 'x-twilio-signature': `${'A'.repeat(27)}=` }
  const calls = new TwilioCallsApi({ accountSid, authToken, apiUrl: url })
  return simulated(simulator, twilioProfile, carrier(twilioCarrier([authToken])), api(calls), { forged })
}

async function signalwire(
  { carrier = it => it, api = it => it }: Changes = {},
  audio: 'mulaw-8k' | 'l16-16k' = 'mulaw-8k',
): Promise<TelephonySubject> {
  const simulator = await listenSignalwire(NUMBERS)
  const { url, accountSid: projectId, authToken: apiToken } = simulator
  const outbound = { space: 'example.signalwire.com', projectId, apiToken, apiUrl: url }
  const calls = new SignalwireCallsApi(outbound)
  const forged = { 'x-signalwire-signature': `${'A'.repeat(27)}=`, authorization: 'Bearer wrong' }
  const right = signalwireCarrier([apiToken], audio)
  return simulated(simulator, signalwireProfile, carrier(right), api(calls), { forged })
}

async function telnyx({ carrier = it => it, api = it => it }: Changes = {}): Promise<TelephonySubject> {
  const simulator = await listenTelnyx(NUMBERS)
  const { url, accountSid, authToken: apiKey } = simulator
  const outbound = { apiKey, accountSid, applicationId: '1494404757140276705', apiUrl: url }
  const calls = new TelnyxCallsApi({ ...outbound, from: '+15005550001', allowedPrefixes: ['+34'] })
  const right = telnyxCarrier({ publicKeys: [telnyxPublicKey(apiKey)] })
  const forged = signTelnyx('another secret', 'CallSid=CA1&CallStatus=ringing', Date.now() / 1_000)
  return simulated(simulator, telnyxProfile, carrier(right), api(calls), { forged, shuffled: true })
}

async function plivo(
  { carrier = it => it, api = it => it }: Changes = {},
  audio: 'mulaw-8k' | 'l16-16k' = 'mulaw-8k',
): Promise<TelephonySubject> {
  const simulator = await listenPlivo(NUMBERS)
  const { url, accountSid: authId, authToken } = simulator
  const calls = new PlivoCallsApi({ authId, authToken, apiUrl: url })
  const forged = { 'x-plivo-signature-v3': `${'A'.repeat(43)}=`, 'x-plivo-signature-v3-nonce': '1' }
  const right = plivoCarrier([authToken], audio)
  return simulated(simulator, plivoProfile, carrier(right), api(calls), { forged })
}

const done = async ({ network }: TelephonySubject) => network[Symbol.asyncDispose]()

conforms('Twilio is a carrier', telephonyChecks, twilio, done)
conforms('SignalWire is a carrier', telephonyChecks, signalwire, done)
conforms('SignalWire with linear PCM is a carrier', telephonyChecks, () => signalwire({}, 'l16-16k'), done)
conforms('Telnyx is a carrier', telephonyChecks, telnyx, done)
conforms('Plivo is a carrier', telephonyChecks, plivo, done)
conforms('Plivo with linear PCM is a carrier', telephonyChecks, () => plivo({}, 'l16-16k'), done)
conforms('the toy is a carrier', telephonyChecks, toy, done)

/** Each kind of broken carrier, with the check that it fails. */
const BROKEN: readonly (readonly [fault: string, check: string, changes: Changes])[] = [
  [
    'sends silence',
    'carries speech to the service, and plays its translation',
    media(right => ({
      media: (audio, length) => right.media(Buffer.alloc(length, 0xff), Math.min(length, audio.length)),
    })),
  ],
  [
    'mixes up the numbers',
    'describes the call, and is the channel of its leg',
    read(call => ({ from: call.to, to: call.from })),
  ],
  [
    'gives marks names of its own',
    'confirms a mark once the audio before it was played',
    media(right => ({ mark: () => right.mark('mark') })),
  ],
  [
    'only pretends to clear',
    'drops queued audio when it is flushed, and confirms none of its marks',
    media(() => ({ clear: () => 'cleared' })),
  ],
  [
    'loses keys',
    'delivers keys, each once and in order',
    parse(message => (message.kind === 'dtmf' ? { kind: 'unknown' } : message)),
  ],
  [
    'forgets where to resume',
    'continues as the same call after its stream was lost',
    instructions(right => ({
      connectStream: plan => {
        const { contentType, body } = right.connectStream(plan)
        return { contentType, body: JSON.stringify(JSON.parse(body).slice(0, -1)) }
      },
    })),
  ],
  [
    'has no address for the next server',
    'continues as the same call after its server handed it over',
    instructions(right => ({
      connectStream: plan => right.connectStream({ ...plan, resumeUrl: 'http://127.0.0.1:1/' }),
    })),
  ],
  ['hangs up instead of rejecting', 'rejects a call as busy', instructions(it => ({ reject: it.hangUp }))],
  ['does not speak', 'speaks a text, and hangs up', instructions(it => ({ sayAndHangUp: it.hangUp }))],
  ['drops the digits of menus', 'plays a menu, and reads the answer', read(() => ({ digits: '' }))],
  [
    'accepts any signature',
    'rejects requests without a valid signature',
    { carrier: it => ({ ...it, verifier: () => ({ webhook: () => true, upgrade: () => true }) }) },
  ],
  [
    'does not check upgrades',
    'rejects requests without a valid signature',
    {
      carrier: it => ({
        ...it,
        verifier: url => ({ webhook: request => it.verifier(url).webhook(request), upgrade: () => true }),
      }),
    },
  ],
  [
    'does not understand a hang-up',
    'ends the leg when the caller hangs up',
    parse(message => (message.kind === 'stop' ? { kind: 'unknown' } : message)),
  ],
  [
    'keeps calls on the line',
    'hangs up when the leg is closed',
    instructions(it => ({ hangUp: () => it.waitAndAsk(60, 'http://127.0.0.1:1/') })),
  ],
  [
    'confuses the addresses of a call',
    'places a call, and connects whoever answers',
    { api: it => changed(it, { place: order => it.place({ ...order, answerUrl: order.statusUrl }) }) },
  ],
  ['ignores the state of calls', 'reports that a called phone is busy', read(() => ({ status: undefined }))],
  [
    'takes machines for people',
    'hangs up on an answering machine',
    read(() => ({ answeredBy: { type: 'person' } })),
  ],
  ['never hangs up', 'cancels a call that rings', { api: it => changed(it, { hangUp: async () => {} }) }],
  [
    'does not know its calls',
    'tells the state of a call',
    { api: it => changed(it, { status: async () => undefined }) },
  ],
]

type Messages = ReturnType<Carrier['media']['messages']>
type Inbound = ReturnType<Carrier['media']['parse']>
type Request = NonNullable<ReturnType<Carrier['requests']['read']>>

function media(change: (right: Messages) => Partial<Messages>): Changes {
  return {
    carrier: it => ({
      ...it,
      media: {
        ...it.media,
        messages: start => {
          const right = it.media.messages(start)
          return { ...right, ...change(right) }
        },
      },
    }),
  }
}

function parse(change: (message: Inbound) => Inbound): Changes {
  return {
    carrier: it => ({
      ...it,
      media: { ...it.media, parse: (data, isBinary) => change(it.media.parse(data, isBinary)) },
    }),
  }
}

function read(change: (call: Request) => Partial<Request>): Changes {
  return {
    carrier: it => ({
      ...it,
      requests: {
        ...it.requests,
        read: request => {
          const call = it.requests.read(request)
          return call && { ...call, ...change(call) }
        },
      },
    }),
  }
}

function instructions(change: (right: Carrier['instructions']) => Partial<Carrier['instructions']>): Changes {
  return {
    carrier: it => ({ ...it, instructions: { ...it.instructions, ...change(it.instructions) } }),
  }
}

function changed(right: CarrierApi, change: Partial<CarrierApi>): CarrierApi {
  return {
    place: order => right.place(order),
    hangUp: callId => right.hangUp(callId),
    status: callId => right.status(callId),
    ...change,
  }
}

/** A wrong dialect of each carrier, with the check that it fails. */
const WRONG: readonly (readonly [
  carrier: string,
  fault: string,
  check: string,
  () => Promise<TelephonySubject>,
])[] = [
  [
    'Twilio',
    'names the stream in snake_case',
    'carries speech to the service, and plays its translation',
    () => twilio(media(right => ({ media: (...audio) => renamed(right.media(...audio)) }))),
  ],
  [
    'SignalWire',
    'swaps the bytes of samples',
    'carries speech to the service, and plays its translation',
    () => {
      const swapped = jsonMedia({ codec: 'l16be', rate: 16_000 })
      return signalwire({ carrier: it => ({ ...it, media: swapped }) }, 'l16-16k')
    },
  ],
  [
    'Telnyx',
    'names a stream',
    'drops queued audio when it is flushed, and confirms none of its marks',
    () => telnyx(media(() => ({ clear: () => '{"event":"clear","stream_id":"1"}' }))),
  ],
  [
    'Telnyx',
    'forgets the mode of its audio',
    'describes the call, and is the channel of its leg',
    () => telnyx(instructions(without(' bidirectionalMode="rtp"'))),
  ],
  [
    'Plivo',
    'swaps the bytes of samples',
    'carries speech to the service, and plays its translation',
    () => plivo({ carrier: it => ({ ...it, media: plivoMedia('l16be-16k') }) }, 'l16-16k'),
  ],
  [
    'Plivo',
    'sends media as Twilio does',
    'drops queued audio when it is flushed, and confirms none of its marks',
    () => plivo(media(() => ({ media: (audio, length) => twilioMessage(audio.subarray(0, length)) }))),
  ],
  [
    'Plivo',
    'forgets to keep the call alive',
    'describes the call, and is the channel of its leg',
    () => plivo(instructions(without(' keepCallAlive="true"'))),
  ],
  [
    'Plivo',
    'asks for the default audio',
    'describes the call, and is the channel of its leg',
    () => plivo(instructions(without(' contentType="audio/x-mulaw;rate=8000"'))),
  ],
]

/** Instructions for a stream in which `text` is missing. */
function without(text: string) {
  return (right: Carrier['instructions']): Partial<Carrier['instructions']> => ({
    connectStream: plan => {
      const { contentType, body } = right.connectStream(plan)
      return { contentType, body: body.replace(text, '') }
    },
  })
}

function twilioMessage(audio: Buffer): string {
  return JSON.stringify({ event: 'media', media: { payload: audio.toString('base64') } })
}

function renamed(message: string | Buffer): string {
  return String(message).replace('streamSid', 'stream_sid')
}

describe('the suite for carriers', () => {
  test.concurrent.each(BROKEN)('fails a carrier that %s', async (_fault, check, changes) => {
    const subject = await toy(changes)
    try {
      const checked = telephonyChecks[check]?.({ ...subject, patienceMs: 1_000 })
      // By what it finds, not by an error of another kind.
      await expect(checked).rejects.toThrow(/^expected|did not happen/)
    } finally {
      await done(subject)
    }
  })

  test.concurrent.each(WRONG)('fails %s that %s', async (_carrier, _fault, check, make) => {
    const subject = await make()
    try {
      const checked = telephonyChecks[check]?.({ ...subject, patienceMs: 2_000 })
      await expect(checked).rejects.toThrow(/^expected|did not happen/)
    } finally {
      await done(subject)
    }
  })

  test('each of its checks can fail', () => {
    expect(new Set(BROKEN.map(([, check]) => check))).toEqual(new Set(Object.keys(telephonyChecks)))
  })
})
