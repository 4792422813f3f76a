import { expect, test } from 'vitest'
import { PHONE_PROFILES, placeCall, telnyxPublicKey, tone } from '../../../simulator/index.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { Talker } from '../../support/browser/page-client.ts'
import { into, narrow, type Parlour, parlour, totalMs } from '../../support/e2e/discord-call-harness.ts'
import { hears } from '../../support/e2e/phone-listener.ts'
import { DESK, PUBLIC, VOICE } from '../../support/e2e/two-party-harness.ts'
import { pause, until } from '../../support/until.ts'

const TOKEN = 'a token of the accounts at Telnyx and Plivo'
const PATIENCE_MS = 30_000
/** Speech of each participant, and the least of it that others must hear (ms). */
const SAID_MS = 2_000
const HEARD_MS = 1_200

/** 100 ms. */
const PIECE = SAMPLE_RATE / 10

interface Person {
  readonly name: string
  readonly hz: number
  readonly language: 'en-us' | 'es-es' | 'fr-fr'
  say(): Promise<unknown>
  /** Everything heard so far, at 8 kHz. */
  heard(): Int16Array
}

function local({ app }: Parlour['x']): string {
  const [address] = app.server.addresses()
  return typeof address === 'object' ? `http://127.0.0.1:${address.port}` : ''
}

/** A number of each carrier, whose callers enter a room code. */
const NUMBERS = { twilio: DESK, telnyx: '+15005550002', plivo: '+15005550003' } as const

function desk(language: string) {
  return { speaks: language, hears: language, roomCode: true }
}

/** A caller of `carrier` who has entered `code`. */
async function caller(
  { x }: Parlour,
  carrier: keyof typeof NUMBERS,
  code: string,
  person: Pick<Person, 'hz' | 'language'>,
) {
  const { hz } = person
  const phone = await placeCall({
    webhook: `${local(x)}/${carrier}/voice`,
    to: NUMBERS[carrier],
    publicUrl: PUBLIC,
    authToken: carrier === 'twilio' ? x.twilio.authToken : TOKEN,
    profile: PHONE_PROFILES[carrier]!,
    ...(carrier === 'telnyx' ? { quirks: { shuffleMs: 60 } } : {}),
  })
  for (const key of code) phone.press(key)
  const say = () => phone.say(tone(hz, SAID_MS, 8_000), 8_000)
  return { phone, person: { ...person, name: carrier, say, heard: () => phone.heard() } satisfies Person }
}

/** A visitor of the talk page, who has joined by the code of the channel. */
async function visitor({ x }: Parlour, code: string, person: Pick<Person, 'hz' | 'language'>) {
  const { language, hz } = person
  const talker = await Talker.open(local(x))
  await talker.hello({ code, speaks: language, hears: language })
  // In real time, because original voices that arrive late are not played.
  const say = async () => {
    const pcm = tone(hz, SAID_MS, SAMPLE_RATE)
    for (let at = 0; at < pcm.length; at += PIECE) {
      talker.say(pcm.subarray(at, at + PIECE))
      await pause(PIECE / (SAMPLE_RATE / 1_000))
    }
  }
  return {
    talker,
    person: { ...person, name: 'browser', say, heard: () => narrow(talker.pcm) } satisfies Person,
  }
}

test('callers of three carriers, a browser and a Discord channel hear each other in their languages', async () => {
  const config = {
    telnyx: { publicKey: telnyxPublicKey(TOKEN), numbers: { [NUMBERS.telnyx]: desk('es-es') } },
    plivo: { authToken: TOKEN, numbers: { [NUMBERS.plivo]: desk('fr-fr') } },
    browser: { access: 'invited' as const },
  }
  await using casa = await parlour({ dave: false, config, number: desk('en-us') })
  const { x, sala } = casa
  const ana = await casa.person('Ana', 'es-ES')
  await ana.command('interpret language', { language: 'es-es' })
  await ana.command('interpret start')
  const code = /\b\d{8}\b/.exec((await ana.command('interpret invite')).text)?.[0] ?? ''

  const twilio = await caller(casa, 'twilio', code, { hz: VOICE.caller, language: 'en-us' })
  const telnyx = await caller(casa, 'telnyx', code, { hz: VOICE.third, language: 'es-es' })
  const plivo = await caller(casa, 'plivo', code, { hz: VOICE.fourth, language: 'fr-fr' })
  const browser = await visitor(casa, code, { hz: VOICE.fifth, language: 'en-us' })
  const discord: Person = {
    ...{ name: 'discord', hz: VOICE.callee, language: 'es-es' },
    say: () => casa.say(ana, VOICE.callee, SAID_MS),
    heard: () => narrow(sala.heard()),
  }
  const people: readonly Person[] = [twilio.person, telnyx.person, plivo.person, browser.person, discord]
  const admitted = () => x.events.admitted.filter(({ room }) => room === `discord ${sala.id}`)
  const channels = () => new Set(admitted().map(({ channel }) => channel))
  await until(() => channels().size === people.length, PATIENCE_MS, 'all in one room')

  for (const speaker of people) {
    await speaker.say()
    for (const listener of people) {
      if (listener === speaker) continue
      const same = listener.language === speaker.language
      const hz = same ? speaker.hz : into(speaker.hz, listener.language)
      const heard = () => totalMs(listener.heard(), hz) >= HEARD_MS
      await until(heard, PATIENCE_MS, `${listener.name} hears ${speaker.name} at ${hz} Hz`)
    }
  }

  for (const { name, hz, language, heard } of people) {
    expect(hears(heard(), hz), `${name} hears their own voice`).toBe(false)
    expect(hears(heard(), into(hz, language)), `${name} hears their own words`).toBe(false)
    for (const other of people)
      for (const foreign of ['en-us', 'es-es', 'fr-fr'])
        if (foreign !== language)
          expect(hears(heard(), into(other.hz, foreign)), `${name} hears ${other.name} in ${foreign}`).toBe(
            false,
          )
  }
  for (const { phone } of [twilio, telnyx, plivo]) {
    const { errors, warnings } = phone.report()
    expect([errors, warnings]).toEqual([[], []])
    await phone.hangUp()
  }
  browser.talker.socket.close()
  await ana.command('interpret stop')
  await until(() => x.app.relay.rooms.size === 0, PATIENCE_MS, 'the end of the room')
})
