import type { Clock } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { RoomCodes } from '../../core/calls/room-codes.ts'
import type { RoomLives } from '../../core/calls/room-lifetimes.ts'
import type { RoomLinks } from '../../core/calls/room-links.ts'
import type { RoomVisits } from '../../core/calls/room-visits.ts'
import type { Announcer } from '../../core/model/announcer.ts'
import type { Dialer } from '../../core/model/dialer.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { Recorder } from '../../core/model/recording.ts'
import type { Relay } from '../../core/room/relay.ts'
import type { CaptionFeed } from '../captions/caption-feed.ts'
import type { CaptionHub } from '../captions/caption-hub.ts'
import type { LinkTokens } from '../captions/caption-links.ts'
import type { Transcripts } from '../transcripts/transcripts.ts'
import type { WebhooksOut } from '../webhooks/webhooks.ts'
import type { Forwarding } from './forwarding.ts'
import type { LinkReaders } from './link-readers.ts'
import type { PlacedCalls, RecentlyEnded, RunningAnnouncements } from './resource-registry.ts'
import type { RoomPlans } from './room-plans.ts'

/** Dependencies of the operations. The caller keeps ownership. */
export interface ControlContext {
  readonly relay: Relay
  /** Absent: this process is alone. */
  readonly fleet?: Fleet | undefined
  /** Sends requests to other nodes; absent: this process is alone. */
  readonly forwarding?: Forwarding | undefined
  readonly plans: RoomPlans
  readonly lives: RoomLives
  readonly codes: RoomCodes
  /** Links by which people join rooms from a browser. */
  readonly roomLinks: RoomLinks
  /** Visits in browsers that can be continued. */
  readonly visits: RoomVisits
  /** Links by which people listen to rooms in a browser. */
  readonly listenLinks: RoomLinks
  readonly calls: PlacedCalls
  readonly announcements: RunningAnnouncements
  readonly departed: RecentlyEnded
  readonly feed: CaptionFeed
  readonly captionHub: CaptionHub
  readonly links: LinkTokens
  readonly linkReaders: LinkReaders
  /** Address prefix to which an address counts; undefined: it has no limit. */
  readonly groupOf: (address: string) => string | undefined
  readonly transcripts: Transcripts
  readonly webhooks: WebhooksOut
  /** Absent: outbound calls are off. */
  readonly dialer: Dialer | undefined
  readonly announcer: Announcer | undefined
  readonly recorder: Recorder | undefined
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Logger
}
