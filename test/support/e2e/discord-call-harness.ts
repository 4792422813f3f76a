import {
  DiscordSimulator,
  type DiscordStandInOptions,
  type Member,
  type ScriptedServiceOptions,
  tone,
  type VoiceChannel,
} from '../../../simulator/index.ts'
import type { AppConfig } from '../../../src/app/app.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { until } from '../until.ts'
import { hears, LOUD, soundings } from './phone-listener.ts'
import { type Exchange, type ExchangeOptions, exchange, noticeHz, translated } from './two-party-harness.ts'

export interface ParlourOptions extends ExchangeOptions {
  readonly dave?: boolean
  /** Of the Discord simulator. */
  readonly standIn?: DiscordStandInOptions
  /** Of the bot, in addition to its token. */
  readonly bot?: NonNullable<AppConfig['discord']>
}

/** The service’s reported capabilities. */
const LANGUAGES = ['en-us', 'es-es', 'fr-fr'].map((languageId, _at, all) => ({
  languageId,
  name: languageId,
  transcription: true,
  translation: all.filter(each => each !== languageId),
  synthesis: true,
}))

/** A service that reports them. */
export const THREE_LANGUAGES: ScriptedServiceOptions = {
  http: ({ url = '' }, response) =>
    response.end(JSON.stringify(url.startsWith('/api/voices') ? [] : LANGUAGES)),
}

/**
 * A complete setup on loopback: Discord with a voice channel, phones, the bridge, a service that responds with tones.
 */
export interface Parlour extends AsyncDisposable {
  readonly x: Exchange
  readonly discord: DiscordSimulator
  readonly sala: VoiceChannel
  /** A channel member whose Discord is set to `locale`. */
  person(name: string, locale: 'en-US' | 'es-ES' | 'fr'): Promise<Member>
  /** Plays a tone, and resolves when the last packet has been sent. */
  say(who: Member, hz: number, ms: number): Promise<void>
  /** Total duration of `hz` from the bot in the channel (ms). */
  heardMs(hz: number): number
  /** Resolves when that is at least `ms`. */
  heard(hz: number, ms: number): Promise<unknown>
  /** Any of it, at any level. */
  anyOf(hz: number): boolean
  /** Resolves when a message in the channel’s chat has all of `texts`. */
  reads(...texts: string[]): Promise<unknown>
}

export async function parlour({
  dave = true,
  standIn,
  bot,
  ...options
}: ParlourOptions = {}): Promise<Parlour> {
  const discord = await DiscordSimulator.listen({ dave, ...standIn })
  const trusted = discord.trust()
  const guild = discord.addGuild({ name: 'Casa' })
  const sala = guild.addVoiceChannel({ name: 'Sala' })
  const x = await exchange({
    ...options,
    service: { ...THREE_LANGUAGES, ...options.service },
    config: { discord: { token: discord.token, apiUrl: discord.api, ...bot }, ...options.config },
  })
  if (!(await x.app.discord?.settled)) throw new Error('the bot is not in')
  await x.app.discord?.registered
  const listen = () => narrow(sala.heard())
  const heardMs = (hz: number) => totalMs(listen(), hz)
  return {
    x,
    discord,
    sala,
    async person(name, locale) {
      const member = guild.addMember({ name, locale })
      await member.join(sala)
      return member
    },
    say: (who, hz, ms) => who.say(tone(hz, ms, SAMPLE_RATE)),
    heardMs,
    heard: (hz, ms) => until(() => heardMs(hz) >= ms, 20_000, `hearing ${hz} Hz for ${ms} ms`),
    anyOf: hz => hears(listen(), hz),
    reads: (...texts) =>
      until(
        () => sala.visible.find(({ text }) => texts.every(part => text.includes(part))),
        20_000,
        `reading ${texts.join(', ')}`,
      ),
    async [Symbol.asyncDispose]() {
      await x[Symbol.asyncDispose]()
      trusted[Symbol.dispose]()
      await discord.close()
    },
  }
}

/** Interpreting has started, both languages are known, and both members were notified. */
export async function begun(casa: Parlour, ana: Member, ben: Member): Promise<void> {
  await ana.command('interpret language', { language: 'es-es' })
  await ben.command('interpret language', { language: 'en-us' })
  await ben.command('interpret start')
  for (const language of ['en', 'es'] as const)
    await casa.heard(noticeHz('channel-interpreted', language), 200)
}

/** The translation of `hz` in `language`. */
export const into = translated

/** As a phone receives it: 8 kHz. */
export function narrow(pcm: Int16Array): Int16Array {
  const half = new Int16Array(pcm.length >> 1)
  for (let n = 0; n < half.length; n++) half[n] = (pcm[2 * n]! + pcm[2 * n + 1]!) / 2
  return half
}

/** Total loud duration of `hz` in `pcm` (8 kHz), ignoring breaks of up to `bridgeMs` (ms). */
export function totalMs(pcm: Int16Array, hz: number, bridgeMs = LOUD.bridgeMs): number {
  return soundings(pcm, hz, { ...LOUD, bridgeMs }).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
}
