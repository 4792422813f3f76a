import { describe, expect, test } from 'vitest'
import type { Carrier } from '../../src/bridges/telephony/ports/carrier.ts'
import type { CarrierApi } from '../../src/bridges/telephony/ports/carrier-api.ts'
import { TwilioCallsApi, twilioCarrier } from '../../src/bridges/twilio/index.ts'
import {
  placeCall,
  type SimulatedCall,
  type Subscriber,
  type SubscriberOptions,
  TwilioSimulator,
} from '../../src/simulator/index.ts'
import { conforms } from './suite.ts'
import {
  type Callee,
  type CarrierNetwork,
  type CarrierPhone,
  type TelephonySubject,
  telephonyChecks,
} from './telephony.ts'
import { toyCarrier } from './toy-carrier.ts'
import { ToyNetwork, upgradeStatus } from './toy-network.ts'

// Both are made as docs/how-to/add-a-carrier.md describes.
const SECRET = 'a secret of the toy'
const CALLEE = '+34600111222'

interface Changes {
  carrier?: (right: Carrier) => Carrier
  api?: (right: CarrierApi) => CarrierApi
}

async function toy({ carrier = it => it, api = it => it }: Changes = {}): Promise<TelephonySubject> {
  const network = await ToyNetwork.open(SECRET)
  return { carrier: carrier(toyCarrier(SECRET)), network, api: api(network.api), patienceMs: 3_000 }
}

/** Twilio, by its simulator: the same phones as in all other tests. */
class TwilioNetwork implements CarrierNetwork {
  readonly api: CarrierApi
  readonly #twilio: TwilioSimulator
  readonly #callee: Subscriber
  #bridge = ''

  constructor(twilio: TwilioSimulator) {
    this.#twilio = twilio
    const { url, accountSid, authToken } = twilio
    this.api = new TwilioCallsApi({ accountSid, authToken, apiUrl: url })
    this.#callee = twilio.subscriber(CALLEE)
    this.callee = 'answers'
  }

  set callee(callee: Callee) {
    const options: Record<Callee, SubscriberOptions> = {
      answers: {},
      rings: { answerAfterMs: 60_000 },
      'is-busy': { behavior: 'busy' },
      'is-a-machine': { behavior: 'voicemail' },
    }
    this.#callee.options = { phone: { allowInsecureStream: true }, ...options[callee] }
  }

  serve(bridge: string): void {
    this.#bridge = bridge
  }

  async call(from: string, to: string): Promise<CarrierPhone> {
    const { authToken } = this.#twilio
    const webhook = `${this.#bridge}/twilio/voice`
    return phoneOf(await placeCall({ webhook, authToken, from, to, allowInsecureStream: true }))
  }

  async answered(): Promise<CarrierPhone> {
    return phoneOf(await this.#callee.call(1))
  }

  over(): boolean {
    return this.#twilio.calls.every(({ over }) => over)
  }

  async forge(signature: 'none' | 'wrong'): Promise<{ webhook: number; upgrade: number }> {
    const headers: Record<string, string> =
      signature === 'none' ? {} : { 'x-twilio-signature': `${'A'.repeat(27)}=` }
    const body = new URLSearchParams({ CallSid: 'CA1', CallStatus: 'ringing' })
    const { status } = await fetch(`${this.#bridge}/twilio/voice`, { method: 'POST', headers, body })
    const upgrade = await upgradeStatus(`${this.#bridge.replace('http', 'ws')}/twilio/media`, headers)
    return { webhook: status, upgrade }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#twilio.close()
  }
}

function phoneOf(call: SimulatedCall): CarrierPhone {
  return {
    say: pcm => void call.say(pcm, 16_000),
    press: keys => call.press(keys),
    heard: () => call.heard(),
    said: () => call.report().said,
    hangUp: () => void call.hangUp(),
    drop: () => call.drop(),
    ended: call.ended.then(({ kind, reason }) =>
      kind === 'rejected' ? (reason === 'busy' ? 'busy' : 'rejected') : 'hung-up',
    ),
  }
}

async function twilio(): Promise<TelephonySubject> {
  const simulator = await TwilioSimulator.listen({ numbers: { '+15005550001': {} } })
  const network = new TwilioNetwork(simulator)
  return { carrier: twilioCarrier([simulator.authToken]), network, api: network.api, patienceMs: 8_000 }
}

const done = async ({ network }: TelephonySubject) => network[Symbol.asyncDispose]()

conforms('Twilio is a carrier', telephonyChecks, twilio, done)
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

  test('each of its checks can fail', () => {
    expect(new Set(BROKEN.map(([, check]) => check))).toEqual(new Set(Object.keys(telephonyChecks)))
  })
})
