import type { BrowserBridgeOptions } from '../bridges/browser/index.ts'
import { CAPTION_DEFAULTS, type DiscordBridgeOptions } from '../bridges/discord/options.ts'
import { withDefaults } from '../common/defaults.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import { FleetLease } from '../core/calls/fleet-lease.ts'
import { listenPath } from '../pages/page-document.ts'
import { captionPagePath, LONGEST_CAPTION_LINK_MS } from '../web/captions/caption-links.ts'
import { refusedLanguages } from '../web/control/room-plans.ts'
import { statusWords } from '../web/status.ts'
import { inOneLanguage } from '../web/transcripts/one-language.ts'
import { numbersOf } from './carriers.ts'
import type { AppContext } from './context.ts'
import { talkCatalog, usableLanguages, voiceCatalog } from './service.ts'

/** Returns the options of the browser bridge. */
export function browserOptions(context: AppContext): BrowserBridgeOptions {
  const { settings, fleet, homes, calls, guards, control, service, clock, log } = context
  const { relay, twoPartyCalls, roomCodes, addressCodeLimiter: roomCodeLimiter } = calls
  const { roomLinks, listenLinks, visits, lives, links, groupOf, plans } = control.services
  const { languages, publicUrl } = settings
  return {
    ...{ relay, roomCodes, roomCodeLimiter, languages, publicUrl, groupOf, clock, log },
    path: '/',
    settings: settings.browser ?? {},
    offer: talkCatalog(service),
    admission: control.admission(twoPartyCalls),
    invite: guest => (guards.overloadCheck.rejection() === undefined ? guest : { refused: 'busy' }),
    numbers: roomCodeNumbers(context),
    links: roomLinks,
    visits,
    listenLinks,
    // Not by the twoPartyCalls: an audience takes no part in a call.
    audienceAdmission: control.admission(relay),
    audienceLanguage: (room, language) => refusedLanguages(plans.find(room), [language]).length === 0,
    homes: fleet.status === 'alone' ? undefined : homes,
    captions: (room, ttlMs) =>
      // Without API keys, the data of captions is not kept.
      settings.control.keys.length === 0 || lives.idOf(room) === undefined
        ? undefined
        : captionPagePath(room, links.issue(room, Math.min(ttlMs, LONGEST_CAPTION_LINK_MS)).token),
    discord: settings.discord?.token !== undefined,
    dashboard: '/dashboard',
    words: statusWords,
  }
}

/** Returns the options of the Discord bridge, or undefined if there is no bot. */
export function discordOptions(context: AppContext): DiscordBridgeOptions | undefined {
  const { settings, fleet, calls, stores, control, clock, log } = context
  const { discord, transcripts } = settings
  if (discord?.token === undefined) return undefined
  const { relay, announcer, dialer, roomCodes, roomCodeLimiter } = calls
  const { token, language, apiUrl, maxChannels, voices, consent } = discord
  const { url, apiKey } = context.service
  const service = { url, apiKey, mode: settings.service.mode }
  const [first, second] = discord.output ?? []
  const keepsLonger = transcripts.store !== 'never'
  return {
    ...{ relay, announcer, dialer, roomCodes, roomCodeLimiter, clock, log, token, apiUrl },
    wallClock: systemWallClock,
    admission: control.admission(relay),
    listenLinks: listenLinksFor(context),
    languages: usableLanguages(service),
    voices: voiceCatalog(service),
    preferences: stores.preferences,
    running: stores.channels,
    transcripts:
      keepsLonger || discord.transcript
        ? { of: inOneLanguage(control.services.transcripts), keeps: keepsLonger ? 'longer' : 'until-end' }
        : undefined,
    recording: settings.recording.mode,
    turn:
      fleet.status === 'alone' ? undefined : new FleetLease({ fleet, name: 'discord shard 0', clock, log }),
    autoJoin: discord.autoJoin ?? [],
    commands: {
      guilds: discord.guilds ?? [],
      output: first === undefined ? 'auto' : second === undefined ? [first] : [first, second],
      captions: withDefaults(CAPTION_DEFAULTS, discord.captions),
      dialRoles: discord.dialRoles ?? [],
      phoneNumbers: roomCodeNumbers(context),
    },
    channels: { language, maxChannels, voices, consent },
  }
}

/** Phone numbers that ask for room codes. */
function roomCodeNumbers({ settings }: AppContext): string[] {
  const numbers = numbersOf(settings)
  return Object.keys(numbers).filter(number => numbers[number]?.roomCode)
}

/** Links for hearing a room in the browser; undefined without a public address. */
function listenLinksFor({ settings, control }: AppContext): DiscordBridgeOptions['listenLinks'] {
  const { publicUrl, browser: { linkMinutes: minutes = 120 } = {} } = settings
  if (publicUrl === undefined) return undefined
  const { listenLinks } = control.services
  return async room => {
    const token = await listenLinks.issue(room, minutes * 60_000)
    return { url: publicUrl.replace(/\/+$/, '') + listenPath(token), minutes }
  }
}
