import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CallOptions,
  ScriptedService,
  type ScriptedServiceOptions,
  type SimulatedCall,
  type Subscriber,
  type SubscriberOptions,
  TwilioSimulator,
  type TwilioSimulatorOptions,
  tone,
  tones,
} from '../../../simulator/index.ts'
import { type App, type AppConfig, type AppOptions, buildApp } from '../../../src/app/app.ts'
import { NOTICES, type NoticeName } from '../../../src/core/model/announcer.ts'
import type { RelayEvents } from '../../../src/core/model/events.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { until } from '../until.ts'

/** Public name of the bridge; Twilio signs for it, and resolves it to this machine. */
export const PUBLIC = 'https://bridge.example.com'
/** The account’s number that everyone calls. */
export const DESK = '+15005550001'
/** The caller, and the callee. */
export const CALLER = '+15005550006'
export const CALLEE = '+34600111222'

/** The speakers’ tones (Hz), far enough apart to be distinguished. */
export const VOICE = { caller: 400, callee: 700, third: 1000, fourth: 1250 } as const
/** A translation is the speaker’s tone shifted up by language, so the speaker is recognizable in every language. */
const HIGHER: Readonly<Record<string, number>> = { 'en-us': 60, 'es-es': 120, 'fr-fr': 180 }
const NOTICE_MS = 300

/** The tone of `speakerHz` translated into `to`. */
export function translated(speakerHz: number, to: string): number {
  return speakerHz + (HIGHER[to] ?? 0)
}

/**
 * Each notice has its own tone per language, above all voices; 18 Hz apart, so that neighbors are barely detected.
 */
export function noticeHz(name: NoticeName, language: 'en' | 'es' | 'fr'): number {
  return 1_750 + 54 * NOTICES.indexOf(name) + { en: 0, es: 18, fr: 36 }[language]
}

/** 440 and 480 Hz ring in the United States; this is one of them. */
export const RINGBACK_HZ = 440

const WATCHED = ['caption', 'utterance', 'notice', 'dial', 'left', 'reception', 'admitted'] as const

type Twilio = NonNullable<AppConfig['twilio']>
type NumberSettings = NonNullable<Twilio['numbers']>[string]

export interface ExchangeOptions {
  /** Outcome of the call to the callee. */
  callee?: SubscriberOptions
  config?: Partial<AppConfig>
  /** Settings of the number, in addition to connecting its callers with the callee. */
  number?: NumberSettings
  /** More numbers of the account, with their settings. */
  numbers?: Readonly<Record<string, NumberSettings>>
  outbound?: Partial<NonNullable<Twilio['outbound']>>
  twilio?: TwilioSimulatorOptions
  service?: ScriptedServiceOptions
  parts?: AppOptions
}

/** Events of the relay’s observers. */
export type Seen = Readonly<{ [K in (typeof WATCHED)[number]]: RelayEvents[K][] }>

/** A complete exchange on loopback: people, Twilio, the bridge, a translation service. */
export interface Exchange extends AsyncDisposable {
  readonly app: App
  /** Its components. */
  readonly config: AppConfig
  readonly twilio: TwilioSimulator
  readonly service: ScriptedService
  readonly caller: Subscriber
  readonly callee: Subscriber
  readonly events: Seen
  /** The caller calls the desk. */
  dial(options?: Partial<CallOptions>): Promise<SimulatedCall>
  /** Resolves when both are connected and have heard the notice. */
  connected(): Promise<{ caller: SimulatedCall; callee: SimulatedCall }>
}

/** The destination of the desk’s callers. */
export const DIAL = { to: CALLEE, speaks: 'es-es', hears: 'es-es', name: 'Ana' } as const

/** The desk: its callers are connected with the callee. */
export const NUMBER = { speaks: 'en-us', hears: 'en-us', name: 'Bob', dial: DIAL } as const
const WEBHOOKS = { VoiceUrl: `${PUBLIC}/twilio/voice`, StatusCallback: `${PUBLIC}/twilio/status` }

export async function exchange(options: ExchangeOptions = {}): Promise<Exchange> {
  const { number = NUMBER, numbers = {} } = options
  const folder = await mkdtemp(join(tmpdir(), 'exchange-'))
  const service = await ScriptedService.listen({
    answer: tones({ hz: (to, heardHz) => translated(nearest(heardHz), to), silenceMs: 200 }),
    ...options.service,
  })
  const twilio = await TwilioSimulator.listen({
    numbers: Object.fromEntries([DESK, ...Object.keys(numbers)].map(each => [each, WEBHOOKS])),
    ...options.twilio,
  })
  const config: AppConfig = {
    host: '127.0.0.1',
    port: 0,
    publicUrl: PUBLIC,
    service: { url: service.url, apiKey: service.apiKey },
    languages: { speaks: 'en-us', hears: 'es-es' },
    sounds: { notices: await notices(folder) },
    // Regardless of the machine’s load.
    limits: { maxEventLoopLagMs: 60_000 },
    ...options.config,
    twilio: {
      authToken: [twilio.authToken],
      outbound: {
        accountSid: twilio.accountSid,
        apiUrl: twilio.url,
        from: DESK,
        allowedPrefixes: ['+34', '+1'],
        ...options.outbound,
      },
      numbers: { [DESK]: number, ...numbers },
      ...options.config?.twilio,
    },
  }
  const app = await buildApp(config, options.parts)
  twilio.route(PUBLIC, await app.listen())
  const events = watch(app)
  const caller = twilio.subscriber(CALLER)
  const callee = twilio.subscriber(CALLEE, options.callee)
  const made: Exchange = {
    ...{ app, config, twilio, service, caller, callee, events },
    dial: more => caller.dial(DESK, more),
    async connected() {
      const first = await caller.dial(DESK)
      const second = await callee.call(1)
      const told = (name: string) =>
        events.notice.some(n => n.notice.startsWith(`notice ${name}`) && n.stage === 'heard')
      await until(() => told('connected') && told('incoming'), 15_000, 'that both are connected')
      return { caller: first, callee: second }
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await twilio.close()
      await service.close()
      await rm(folder, { recursive: true })
    },
  }
  return made
}

function watch(app: App): Seen {
  const seen: Seen = {
    caption: [],
    utterance: [],
    notice: [],
    dial: [],
    left: [],
    reception: [],
    admitted: [],
  }
  for (const name of WATCHED) app.relay.observer.on(name, event => void (seen[name] as unknown[]).push(event))
  return seen
}

/** Plays `ms` of the speaker’s own tone. */
export function say(phone: SimulatedCall, hz: number, ms: number) {
  return phone.say(tone(hz, ms, 8_000), 8_000)
}

/** Resolves when notice `name` was played completely `count` times. */
export function noticeHeard(x: Exchange, name: NoticeName, count = 1, ms = 20_000): Promise<unknown> {
  const told = () =>
    x.events.notice.filter(n => n.stage === 'heard' && n.notice.startsWith(`notice ${name} `))
  return until(() => told().length >= count, ms, `notice ${name}`)
}

/** Resolves when the participant has heard `count` complete translations. */
export function translationsHeard(x: Exchange, count: number, ms = 15_000): Promise<unknown> {
  const heard = () => x.events.utterance.filter(({ stage }) => stage === 'heard').length
  return until(() => heard() >= count, ms, `${count} translations`)
}

/** The estimate of a tone is slightly inexact. */
function nearest(hz: number): number {
  return Object.values(VOICE).toSorted((a, b) => Math.abs(a - hz) - Math.abs(b - hz))[0] ?? hz
}

async function notices(folder: string) {
  const made: Record<string, Partial<Record<NoticeName, string>>> = { en: {}, es: {}, fr: {} }
  for (const language of ['en', 'es', 'fr'] as const)
    for (const name of NOTICES) {
      const path = join(folder, `${language}-${name}.wav`)
      await writeFile(path, encodeWav(tone(noticeHz(name, language), NOTICE_MS), 16_000))
      made[language] = { ...made[language], [name]: path }
    }
  return made
}
