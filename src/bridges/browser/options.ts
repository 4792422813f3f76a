import { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import type { Admission, Invitation } from '../../core/invitation.ts'
import type { LanguageId } from '../../core/languages.ts'
import type { Log } from '../../core/log.ts'
import type { Relay } from '../../core/relay.ts'
import type { RoomCodes } from '../../core/room-codes.ts'
import type { RoomLinks } from '../../core/room-links.ts'
import { callable, having } from '../../guard/host-plugin.ts'
import { type BrowserSettings, browserSettingsSchema } from './browser-settings.ts'
import { type BrowserLimits, browserLimitsSchema } from './limits.ts'
import type { Refused } from './messages.ts'
import type { Offer } from './offer.ts'

/** Somebody at the door, with all that was found out about them. */
export interface Guest {
  /** That of their link or code, or a new one. */
  readonly room: string
  readonly speaks?: LanguageId
  readonly hears: LanguageId
  readonly voice?: string
  readonly name?: string
  readonly original: 'off' | 'low' | 'duck'
  /** Invited by a link or a code. */
  readonly invited: boolean
}

/** How often somebody may guess the code of a room. */
export interface Guesses {
  mayTry(caller: string): boolean
  wrong(caller: string): void
}

export interface BrowserBridgeOptions {
  /** Whose rooms visitors are in; stays its owner's. */
  readonly relay: Pick<Relay, 'observer' | 'find' | 'rooms'> & Admission
  /** Where legs go in; default: the relay itself. */
  readonly admission?: Admission
  /** The service's own lists. */
  readonly offer: () => Promise<Offer>
  /** What somebody speaks and hears who has chosen nothing yet. */
  readonly languages: { readonly speaks: LanguageId; readonly hears: LanguageId }
  /** Decides on each visitor; must not throw. Default: as they ask. */
  readonly invite?: (guest: Guest) => Invitation | { readonly refused: Refused }
  readonly settings?: { readonly [K in keyof BrowserSettings]?: Readonly<BrowserSettings[K]> | undefined }
  /** The server's address for the world; its page may be asked for there. */
  readonly publicUrl?: string | undefined
  /** Absent: no room can be joined by code, and none is shown. */
  readonly roomCodes?: Pick<RoomCodes, 'issue' | 'find'> | undefined
  /** Whom an address is counted with; undefined: it is not limited by itself. Default: each by itself. */
  readonly groupOf?: (address: string) => string | undefined
  /** Absent: not limited. */
  readonly guesses?: Guesses
  /** Telephone numbers that ask for room codes. */
  readonly numbers?: readonly string[]
  /** Room codes also work in Discord. */
  readonly discord?: boolean
  /** Where the links are kept; whoever brings them disposes of them. */
  readonly links?: RoomLinks
  /** The path of a page with the captions of `room` for so long (ms); undefined or absent: there is none. */
  readonly captions?: (room: string, ttlMs: number) => string | undefined
  /** The path of a page for whoever looks after the server; absent: the page leads to none. */
  readonly dashboard?: string
  /** Put before every route and every link, as is the prefix of a scope around the plugin. */
  readonly prefix?: string
  /** Where the page is, behind all prefixes; default `/talk`. What it asks for is below `/talk` in any case. */
  readonly path?: string
  /** What is said there to programs, and people without a browser. */
  readonly words?: () => string
  readonly clock?: Clock
  readonly log?: Log
  readonly limits?: Partial<BrowserLimits>
}

const language = z.string('a language like en-us')

/** Checks the options when the plugin is registered. */
export const browserBridgeOptionsSchema = z.strictObject({
  relay: having('the relay whose rooms visitors are in', 'admit', 'find'),
  admission: having('where the legs go', 'admit').optional(),
  offer: callable("it resolves to the service's lists"),
  languages: z.object(
    { speaks: language, hears: language },
    'what somebody speaks and hears who has chosen nothing: { speaks, hears }',
  ),
  invite: callable('it decides on each visitor').optional(),
  settings: browserSettingsSchema.optional(),
  publicUrl: z.url('an https:// address').optional(),
  roomCodes: having('the codes of rooms', 'issue', 'find').optional(),
  guesses: having('what limits guessing', 'mayTry', 'wrong').optional(),
  groupOf: callable('the group of addresses that an address belongs to').optional(),
  numbers: z.array(z.string('a telephone number'), 'a list of telephone numbers').optional(),
  links: having('the links to rooms', 'issue', 'find').optional(),
  captions: callable('the path of the captions of a room').optional(),
  discord: z.boolean('true or false').optional(),
  dashboard: z.string('a path').optional(),
  prefix: z.string('a path such as /calls').optional(),
  path: z.string('a path such as /talk').optional(),
  words: callable('what is said to programs').optional(),
  clock: having('a clock', 'now').optional(),
  log: having('a log', 'debug', 'info', 'warn', 'error').optional(),
  limits: browserLimitsSchema.optional(),
} satisfies Record<keyof BrowserBridgeOptions, z.ZodType>)
