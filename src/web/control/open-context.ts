import type { Clock } from '../../common/clock.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import { neverBack, type WallClock } from '../../common/wall-clock.ts'
import type { RoomCodes } from '../../core/calls/room-codes.ts'
import { RoomLives } from '../../core/calls/room-lifetimes.ts'
import { RoomLinks } from '../../core/calls/room-links.ts'
import { RoomRevocation } from '../../core/calls/room-revocation.ts'
import { RoomVisits } from '../../core/calls/room-visits.ts'
import type { Announcer } from '../../core/model/announcer.ts'
import type { Dialer } from '../../core/model/dialer.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { Admission } from '../../core/model/invitation.ts'
import type { Recorder } from '../../core/model/recording.ts'
import type { Relay } from '../../core/room/relay.ts'
import { addressPrefix } from '../../net/client-address.ts'
import { CaptionFeed, type CaptionSource } from '../captions/caption-feed.ts'
import { CaptionHub } from '../captions/caption-hub.ts'
import { LinkTokens } from '../captions/caption-links.ts'
import { SharedLives } from '../captions/shared-lives.ts'
import type { TranscriptSettings } from '../transcripts/settings.ts'
import { Transcripts } from '../transcripts/transcripts.ts'
import { type Send, sendByHttp } from '../webhooks/event.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import { WebhooksOut } from '../webhooks/webhooks.ts'
import type { ControlContext } from './control-context.ts'
import { Forwarding } from './forwarding.ts'
import { LinkReaders } from './link-readers.ts'
import { ROOMS, roomsAskedSchema } from './operations/fleet.ts'
import { PlacedCalls, RecentlyEnded, RunningAnnouncements } from './resource-registry.ts'
import { endRoom } from './room-ending.ts'
import { RoomPlans, RoomRules } from './room-plans.ts'
import { controlSettingsSchema } from './settings.ts'

/** Dependencies that the app provides and keeps ownership of. */
export interface ControlContextOptions {
  readonly relay: Relay
  readonly codes: RoomCodes
  /** The nodes of the service, with the tables that keep created rooms and links. Default: this process alone, in memory. */
  readonly fleet?: Fleet | undefined
  readonly announcer?: Announcer | undefined
  /** Absent: outbound calls are off. Its creator reports its events. */
  readonly dialer?: Dialer | undefined
  /** Absent: recording is not configured. */
  readonly recorder?: Recorder | undefined
  /** No client can request captions or transcripts, so none are kept. */
  readonly closed?: boolean
  readonly transcripts: TranscriptSettings
  /** Caption streams per link. Default: that of the settings. */
  readonly readersPerLink?: number
  /** Address prefix to which an address counts. Default: the address. */
  readonly groupOf?: ((address: string) => string | undefined) | undefined
  /** Returns the other node of the fleet at which a room is; undefined: here, or unknown. Default: always here. */
  readonly nodeOf?: ((room: string) => string | undefined) | undefined
  /** Returns whether a room that has ended here continues at another node of the fleet. Default: it never does. */
  readonly hasMoved?: ((room: string) => boolean) | undefined
  readonly webhooks: readonly WebhookSettings[]
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Logger
  /** Sends webhooks. */
  readonly send?: Send
  readonly random?: () => number
}

/** Captions, transcripts, webhooks and created rooms, with the parts that the control API uses. */
export interface OpenControl extends AsyncDisposable {
  readonly services: ControlContext
  /** Enforces the rules of created rooms; bridges admit legs through it instead of `inner`. */
  admission(inner: Admission): Admission
}

const DEFAULT_READERS = controlSettingsSchema.parse({}).readersPerLink
const NOTHING_SAID: CaptionSource = { on() {}, life: () => undefined }

/** Observes the relay from now on. Dispose it after the relay has closed. Rejects if transcripts cannot be stored. */
export async function openControlContext(options: ControlContextOptions): Promise<OpenControl> {
  const { relay, clock, wall, log, send = sendByHttp, random = Math.random } = options
  const { observer } = relay
  const shared = options.fleet?.status === 'alone' ? undefined : options.fleet
  const feed = new CaptionFeed(observer, clock, wall)
  feed.start()
  const lives = new RoomLives(clock)
  feed.on(({ room, id }, { kind }) => {
    if (kind === 'opened') lives.opened(room, id)
    else if (kind === 'closed') lives.closed(room)
  })
  const read = options.closed ? NOTHING_SAID : feed
  const written = options.transcripts.store === 'disk' ? feed : read
  const transcripts = await Transcripts.open(options.transcripts, { feed: written, clock, wall, log })
  const captionHub = new CaptionHub(read, clock)
  captionHub.start()
  const webhooks = new WebhooksOut(options.webhooks, { observer, feed, clock, wall, log, send, random })
  webhooks.start()
  const departed = new RecentlyEnded(observer)
  departed.start()
  const plans = new RoomPlans(
    observer,
    clock,
    wall,
    options.fleet && { fleet: options.fleet, log, hasMoved: room => options.hasMoved?.(room) === true },
  )
  plans.onElsewhere((room, exists) => (exists ? lives.adopt(room) : lives.end(room)))
  const plansRead = plans.start()
  // Before requests arrive; other nodes of a fleet are possibly unavailable.
  if (!shared) await plansRead
  const expiry = neverBack(wall, clock)
  const state = options.fleet && { fleet: options.fleet, wall: expiry }
  const roomLinks = new RoomLinks(clock, state)
  const listenLinks = new RoomLinks(clock, state, 'listen links')
  const visits = new RoomVisits(clock, state)
  const revocation = new RoomRevocation([roomLinks, listenLinks, options.codes, visits], {
    fleet: shared,
    log,
  })
  revocation.start()
  lives.onEnded(room => {
    if (!options.hasMoved?.(room)) revocation.revoke(room)
  })
  // Of an earlier run; in a fleet, other nodes know their rooms.
  if (!shared)
    for (const kind of [options.codes, roomLinks, listenLinks])
      for (const room of await kind.rooms()) lives.restore(room)
  for (const { room } of await visits.all()) lives.restore(room)
  const sharedLives =
    options.fleet &&
    new SharedLives({
      ...{ fleet: options.fleet, lives, clock, wall, log },
      createdAt: room => createdAt(plans, room),
      hasMoved: room => options.hasMoved?.(room) === true,
    })
  sharedLives?.start()
  const links = new LinkTokens(expiry, lives, options.fleet, sharedLives)
  feed.on(({ room }, { kind }) => {
    // Links to its captions were possibly issued at the node at which it was before.
    if (kind === 'opened')
      sharedLives?.learn(room).catch(error => log.debug(errorFields(error), 'lives unknown'))
  })
  const calls = new PlacedCalls(wall)
  const announcements = new RunningAnnouncements(departed, shared && `announcement-${shared.node}`)
  const { nodeOf = () => undefined } = options
  const forwarding =
    shared &&
    new Forwarding({
      fleet: shared,
      nodeOf: room => (relay.rooms.has(room) ? undefined : nodeOf(room)),
      owners: {
        participant: id => relay.find(id) !== undefined || departed.has('participant', id),
        call: id => calls.find(id) !== undefined,
        announcement: id => announcements.has(id),
        transcript: id => transcripts.list().some(each => each.id === id),
      },
      log,
    })
  forwarding?.start()
  const telling = shared?.exchange.answer(ROOMS, roomsAskedSchema, () => [...relay.rooms.keys()])
  const services: ControlContext = {
    relay,
    fleet: shared,
    forwarding,
    plans,
    lives,
    codes: options.codes,
    roomLinks,
    visits,
    listenLinks,
    calls,
    announcements,
    departed,
    feed,
    captionHub,
    links,
    linkReaders: new LinkReaders({ readersPerLink: options.readersPerLink ?? DEFAULT_READERS }, clock),
    groupOf: options.groupOf ?? addressPrefix,
    transcripts,
    webhooks,
    dialer: options.dialer,
    announcer: options.announcer,
    recorder: options.recorder,
    clock,
    wall,
    log,
  }
  plans.onOver((room, why) => {
    void services.calls.hangUpCalling(room)
    endRoom(services, room, why === 'time-up' ? why : undefined).catch(error =>
      log.error({ error: String(error) }, 'a room could not be ended'),
    )
  })
  return {
    services,
    admission: inner => new RoomRules(inner, relay, plans),
    async [Symbol.asyncDispose]() {
      forwarding?.[Symbol.dispose]()
      sharedLives?.[Symbol.dispose]()
      telling?.[Symbol.dispose]()
      plans[Symbol.dispose]()
      departed[Symbol.dispose]()
      lives[Symbol.dispose]()
      revocation[Symbol.dispose]()
      links[Symbol.dispose]()
      feed[Symbol.dispose]()
      captionHub[Symbol.dispose]()
      await Promise.all([webhooks[Symbol.asyncDispose](), transcripts[Symbol.asyncDispose]()])
    },
  }
}

/** Creation time of a created room (ms since 1970); undefined for any other. */
function createdAt(plans: RoomPlans, room: string): number | undefined {
  const plan = plans.find(room)
  return plan && Date.parse(plan.createdAt)
}
