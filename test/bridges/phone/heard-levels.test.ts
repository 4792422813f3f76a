import { afterEach, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { Mp3Maker, tone } from '../../../simulator/service/scripted-answers.ts'
import { PlayQueue } from '../../../simulator/twilio/phone/play-queue.ts'
import { isAudible, Recording } from '../../../simulator/twilio/phone/recording.ts'
import { PHONE_LINE } from '../../../src/bridges/phone/carrier.ts'
import { jsonMedia } from '../../../src/bridges/phone/json-media/json-media.ts'
import { PhoneLeg } from '../../../src/bridges/phone/leg/phone-leg.ts'
import { DEFAULT_LIMITS } from '../../../src/bridges/phone/limits.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { encodeMulaw } from '../../../src/transcode/g711.ts'
import { dbfs, loudness, rms } from '../../../src/transcode/level.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { LogLines } from '../../support/log-lines.ts'
import { FakeSocket } from '../../support/phone/fake-socket.ts'

/** A phone at Twilio, whose play queue and marks follow the test's clock. */
class Phone extends FakeSocket {
  readonly recording: Recording
  readonly #queue = new PlayQueue()
  readonly #clock: FakeClock
  #sentMs = 0
  /** What it says, 8 kHz; then silence. */
  voice: Int16Array = new Int16Array(0)

  constructor(clock: FakeClock) {
    super()
    this.#clock = clock
    this.recording = new Recording(clock.now())
  }

  override send(message: string | Buffer): void {
    const { event, media, mark } = JSON.parse(message.toString())
    const now = this.#clock.now()
    if (event === 'media') {
      const bytes = Buffer.from(media.payload, 'base64').length
      const audible = isAudible(media.payload)
      this.recording.add(this.#queue.play(now, bytes, audible)!, bytes, media.payload, audible)
    } else if (event === 'mark') {
      if (this.#queue.mark(now, mark.name)) this.#echo(mark.name)
    } else {
      this.recording.cut(now)
      for (const name of this.#queue.clear()) this.#echo(name)
    }
  }

  override close(code: number): void {
    super.close(code)
    queueMicrotask(() => this.gone(code))
  }

  /** Speaks 20 ms, and returns the marks that are due. */
  tick(): void {
    for (const name of this.#queue.advance(this.#clock.now())) this.#echo(name)
    const packet = Buffer.alloc(160, 0xff)
    const said = this.voice.subarray(this.#sentMs * 8, this.#sentMs * 8 + 160)
    encodeMulaw(said, packet.subarray(0, said.length))
    this.hear({
      event: 'media',
      streamSid: 'MZ1',
      media: { track: 'inbound', timestamp: String(this.#sentMs), payload: packet.toString('base64') },
    })
    this.#sentMs += 20
  }

  /** Heard in the last `ms`: 8 kHz. */
  lately(ms: number): Int16Array {
    return this.recording.between(this.#clock.now() - ms, this.#clock.now())
  }

  get gaps(): number {
    return this.#queue.report().gapCount
  }

  #echo(name: string): void {
    queueMicrotask(() => this.hear({ event: 'mark', streamSid: 'MZ1', mark: { name } }))
  }
}

let relay: Relay
afterEach(() => relay.close())

async function office(service = new FakeTranslator()) {
  const clock = new FakeClock(1_000)
  const log = new LogLines()
  relay = new Relay({ translator: service, options: relayOptions(), clock, log, random: () => 0.5 })
  await relay.ready()
  const maker = await Mp3Maker.create()
  const phones: Phone[] = []
  let ids = 0
  const call = (invitation: Partial<Invitation>) => {
    const phone = new Phone(clock)
    const terms = {
      ...{ carrier: 'twilio', media: jsonMedia(PHONE_LINE), clock, log },
      limits: { ...DEFAULT_LIMITS, stoppedMs: 0 },
      check: () => undefined,
      refused: () => {},
      nextId: () => `twilio-${++ids}`,
    }
    PhoneLeg.accept(phone as unknown as WebSocket, terms, leg =>
      relay.admit(leg, { room: 'r', ...invitation }),
    )
    phone.hear({ event: 'start', streamSid: 'MZ1', start: { streamSid: 'MZ1', callSid: `CA${ids + 1}` } })
    phones.push(phone)
    return { phone, party: relay.find(`twilio-${ids}`)! }
  }
  const run = async (ms: number) => {
    for (let t = 0; t < ms; t += 20) {
      for (const phone of phones) phone.tick()
      clock.advance(20)
      await Promise.resolve()
      await Promise.resolve()
    }
  }
  const answer = (hz: number | undefined, ms = 1_000, id = '1') => {
    const { sink } = service.last
    const voice = hz === undefined ? {} : { audio: maker.tone(hz, ms) }
    sink.result({ utterance: id, final: true, text: 'a', translation: 'b', ...voice })
    sink.endOfSpeech()
  }
  return { clock, service, call, run, answer }
}

const gone = {
  kind: 'failed',
  error: new BridgeError('SERVICE_LOST', 'gone', { retryable: true }),
} as const
const OWN = 440
const level = (phone: Phone, hz: number, ms: number) => loudness(phone.lately(ms), hz, 8_000)

describe('pauses on a phone', () => {
  test('between sentences are noise at -60 dBFS, not digital silence', async () => {
    const { call, run, answer } = await office()
    const { phone } = call({ speaks: 'en-us', hears: 'es-es' })
    phone.voice = tone(OWN, 30_000, 8_000, 6_000)
    await run(1_000)
    for (let n = 0; n < 4; n++) {
      answer(1_000, 1_000, String(n))
      await run(3_000)
      const pause = phone.lately(1_500)
      expect(Math.abs(dbfs(rms(pause)) + 60)).toBeLessThan(1.5)
      // At most the short gap, which empties the queue of the carrier.
      let dead = 0
      for (let at = 0; at < pause.length; at += 80) if (rms(pause.subarray(at, at + 80)) === 0) dead += 10
      expect(dead).toBeLessThanOrEqual(40)
      expect(level(phone, 1_000, 3_000)).toBeGreaterThan(800)
    }
    expect(phone.gaps).toBe(0)
    expect(relay.metrics.utterancesHeard).toBe(4)
  })

  test('are no speech and no barge-in, if the microphone hears all of the noise', async () => {
    const { call, run, answer, service } = await office()
    const { phone, party } = call({ speaks: 'en-us', hears: 'es-es', interrupt: 'clear' })
    phone.voice = tone(OWN, 600, 8_000, 6_000)
    await run(3_000)
    const opened = service.connections.length
    const noise = phone.lately(2_000)
    phone.voice = concat([new Int16Array(3_000 * 8), noise, noise])
    answer(1_000, 2_000)
    for (let t = 0; t < 4_000; t += 200) {
      await run(200)
      expect(party.speaking).toBe(false)
    }
    expect(service.connections).toHaveLength(opened)
    expect(relay.metrics).toMatchObject({ utterancesHeard: 1, utterancesDropped: 0 })
  })
})

describe('one’s own voice', () => {
  type Office = Awaited<ReturnType<typeof office>>
  type Call = ReturnType<Office['call']>
  const states: [string, (o: Office, c: Call) => Promise<void> | void][] = [
    ['while it is translated', o => o.answer(1_000)],
    ['before the first translation', () => {}],
    [
      'in an outage',
      ({ service }) => {
        service.refuse = gone
        for (const connection of service.connections) connection.drop(gone)
      },
    ],
    ['without a voice of the translation', o => o.answer(undefined)],
    ['without interpreting', (_o, { party }) => void party.change({ interpreting: false })],
    ['in the language that is heard', (_o, { party }) => void party.change({ hears: 'en-us' })],
    ['without a language that is heard', (_o, { party }) => void party.change({ hears: null })],
    ['with a constant volume of originals', (_o, { party }) => void party.change({ original: 'low' })],
    [
      'during a notice',
      (_o, { party }) => void party.announce({ name: 'x', pcm: tone(2_000, 3_000, 16_000, 4_000) }),
    ],
    [
      'after being muted',
      async ({ run }, { party }) => {
        party.change({ muted: true })
        await run(500)
        party.change({ muted: false })
      },
    ],
    ['with another person', ({ call }) => void call({ speaks: 'es-es', hears: 'es-es' })],
    [
      'with another person, in an outage',
      ({ call, service }) => {
        call({ speaks: 'es-es', hears: 'es-es' })
        service.refuse = gone
        for (const connection of service.connections) connection.drop(gone)
      },
    ],
    [
      'after the other person left in an outage',
      async ({ call, service, run }) => {
        const other = call({ speaks: 'es-es', hears: 'es-es' })
        service.refuse = gone
        for (const connection of service.connections) connection.drop(gone)
        await run(1_000)
        await other.party.hangUp()
      },
    ],
  ]

  test.each(states)('is never heard on a phone: %s', async (_state, happens) => {
    const all = await office()
    const made = all.call({ speaks: 'en-us', hears: 'es-es' })
    made.phone.voice = tone(OWN, 20_000, 8_000, 8_000)
    await all.run(1_000)
    await happens(all, made)
    await all.run(6_000)
    // The whole call, in pieces: a short one would be lost in the mean.
    const heard = made.phone.lately(7_000)
    for (let at = 0; at < heard.length; at += 800)
      expect(loudness(heard.subarray(at, at + 800), OWN, 8_000)).toBeLessThan(30)
  })
})
