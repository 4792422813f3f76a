import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import { callable, having, languageSchema, type SettingsInput } from '../../common/setting-fields.ts'
import type { CodeLimiter } from '../../core/calls/code-attempts.ts'
import type { RoomCodes } from '../../core/calls/room-codes.ts'
import type { RoomLinks } from '../../core/calls/room-links.ts'
import type { RoomVisits } from '../../core/calls/room-visits.ts'
import type { Admission, Invitation } from '../../core/model/invitation.ts'
import type { Relay } from '../../core/room/relay.ts'
import { type BrowserLimits, browserLimitsSchema } from './limits.ts'
import type { JoinRefusal } from './protocol.ts'
import type { ServiceCatalog } from './service-catalog.ts'
import { browserSettingsSchema } from './settings.ts'

/** A visitor asking for admission. */
export interface Guest {
  /** The room of their link or code, or a new one. */
  readonly room: string
  readonly speaks?: LanguageId
  readonly hears: LanguageId
  readonly voice?: string
  readonly name?: string
  readonly original: 'off' | 'low' | 'duck'
  /** Has a link or a code. */
  readonly invited: boolean
}

/** The decision on a visitor: the room and languages, or the reason for refusing them. */
export type VisitDecision = Invitation | { readonly refused: JoinRefusal }

/** The homes of rooms in a fleet. */
export interface RoomLocator {
  /** Name of this node. */
  readonly node: string
  /** Resolves to the node at which a visitor can enter `room`; undefined: here. Rejects with `FLEET_AWAY`. */
  locate(room: string, closed?: boolean): Promise<string | undefined>
  /** Calls `listener` with rooms that other nodes have taken over. */
  onLost(listener: (rooms: ReadonlySet<string>) => void): Disposable
}

export interface BrowserBridgeOptions {
  /** The relay with the visitors’ rooms. The caller keeps ownership. */
  readonly relay: Pick<Relay, 'observer' | 'find' | 'rooms'> & Admission
  /** Admits the legs; default: the relay itself. */
  readonly admission?: Admission
  /** Returns the languages and voices of the service. */
  readonly offer: () => Promise<ServiceCatalog>
  /** Default languages of visitors. */
  readonly languages: { readonly speaks: LanguageId; readonly hears: LanguageId }
  /**
   * Decides on each visitor. If it throws, or has no valid decision within ten seconds, the log has the reason, and the
   * visitor is refused. Default: grants every request.
   */
  readonly invite?: (guest: Guest) => VisitDecision | Promise<VisitDecision>
  readonly settings?: SettingsInput<typeof browserSettingsSchema>
  /** Public address of the server; the page can be served there. */
  readonly publicUrl?: string | undefined
  /** Absent: rooms cannot be joined by code, and no codes are shown. */
  readonly roomCodes?: Pick<RoomCodes, 'issue' | 'find'> | undefined
  /**
   * Returns the group whose addresses count together; undefined exempts the address. Default: each address counts on
   * its own.
   */
  readonly groupOf?: (address: string) => string | undefined
  /** Absent: guessing is not limited. */
  readonly roomCodeLimiter?: Pick<CodeLimiter, 'begin'>
  /** Phone numbers that prompt for room codes. */
  readonly numbers?: readonly string[]
  /** Room codes also work in Discord. */
  readonly discord?: boolean
  /** Shared stores of links for talking and for listening, which their creator disposes of. */
  readonly links?: RoomLinks
  /** Shared store of visits that can be continued after a restart. Default: in memory. */
  readonly visits?: RoomVisits
  readonly listenLinks?: RoomLinks
  /** Admits audiences, which are no visitors; default: the relay itself. */
  readonly audienceAdmission?: Admission
  /** Returns whether an audience of `room` can hear `language`; default: each that the service has. */
  readonly audienceLanguage?: (room: string, language: LanguageId) => boolean
  /** Returns the path of a captions page for `room` that is valid for `ttlMs`, or undefined. */
  readonly captions?: (room: string, ttlMs: number) => string | undefined
  /** Path of the dashboard; absent: the page does not link to one. */
  readonly dashboard?: string
  /** Prefix of all routes and links, after the prefix of an enclosing scope. */
  readonly prefix?: string
  /** Path of the page after all prefixes; default `/talk`. Its resources are always below `/talk`. */
  readonly path?: string
  /** Returns the plain-text response for clients that do not accept HTML. */
  readonly words?: () => string
  /** Set if this server is a node of a fleet: pages then follow their rooms to other nodes. */
  readonly homes?: RoomLocator | undefined
  readonly clock?: Clock
  /** Default: `app.log`. The relay uses it too, unless it has its own. */
  readonly log?: Logger
  readonly limits?: Partial<BrowserLimits>
}

/** Validates the options when the plugin is registered. */
export const browserBridgeOptionsSchema = z.strictObject({
  relay: having('the relay with the visitors’ rooms', 'admit', 'find'),
  admission: having('the relay or policy that admits legs', 'admit').optional(),
  offer: callable('it resolves to the languages and voices of the service'),
  languages: z.object(
    { speaks: languageSchema, hears: languageSchema },
    'the default languages of visitors: { speaks, hears }',
  ),
  invite: callable('it decides on each visitor').optional(),
  settings: browserSettingsSchema.optional(),
  publicUrl: z.url('an https:// address').optional(),
  roomCodes: having('the room codes', 'issue', 'find').optional(),
  roomCodeLimiter: having('a limit for wrong codes', 'begin').optional(),
  groupOf: callable('it returns the group of an address').optional(),
  numbers: z.array(z.string('a phone number'), 'a list of phone numbers').optional(),
  links: having('the links to rooms', 'issue', 'find').optional(),
  visits: having('the visits to rooms', 'keep', 'find').optional(),
  listenLinks: having('the links for listening to rooms', 'issue', 'find').optional(),
  audienceAdmission: having('the relay or policy that admits audiences', 'admit').optional(),
  audienceLanguage: callable('it returns whether an audience can hear a language').optional(),
  captions: callable('it returns the path of the captions of a room').optional(),
  discord: z.boolean('true or false').optional(),
  dashboard: z.string('a path').optional(),
  prefix: z.string('a path such as /calls').optional(),
  path: z.string('a path such as /talk').optional(),
  words: callable('it returns a plain-text response').optional(),
  homes: having('the homes of rooms', 'locate', 'onLost').optional(),
  clock: having('a clock', 'now').optional(),
  log: having('a log', 'debug', 'info', 'warn', 'error').optional(),
  limits: browserLimitsSchema.optional(),
} satisfies Record<keyof BrowserBridgeOptions, z.ZodType>)
