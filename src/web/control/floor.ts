import type { Announcer } from '../../core/announcer.ts'
import type { Clock } from '../../core/clock.ts'
import type { Dialler } from '../../core/dialler.ts'
import type { Log } from '../../core/log.ts'
import type { Recorder } from '../../core/recorder.ts'
import type { Relay } from '../../core/relay.ts'
import type { RoomCodes } from '../../core/room-codes.ts'
import type { RoomLinks } from '../../core/room-links.ts'
import type { RoomLives } from '../../core/room-lives.ts'
import type { WallClock } from '../../core/wall-clock.ts'
import type { CaptionDesk } from '../captions/caption-desk.ts'
import type { CaptionFeed } from '../captions/caption-feed.ts'
import type { LinkTokens } from '../captions/link-token.ts'
import type { Transcripts } from '../transcript/transcripts.ts'
import type { WebhooksOut } from '../webhooks-out/webhooks-out.ts'
import type { Departed } from './departed.ts'
import type { LinkReaders } from './link-readers.ts'
import type { PlacedCalls } from './placed-calls.ts'
import type { RoomPlans } from './room-plans.ts'
import type { RunningAnnouncements } from './running-announcements.ts'

/** Dependencies of the operations. The caller keeps ownership. */
export interface Floor {
  readonly relay: Relay
  readonly plans: RoomPlans
  readonly lives: RoomLives
  readonly codes: RoomCodes
  /** Links by which people join rooms from a browser. */
  readonly roomLinks: RoomLinks
  readonly calls: PlacedCalls
  readonly announcements: RunningAnnouncements
  readonly departed: Departed
  readonly feed: CaptionFeed
  readonly desk: CaptionDesk
  readonly links: LinkTokens
  readonly linkReaders: LinkReaders
  /** Address prefix to which an address counts; undefined: it has no limit. */
  readonly groupOf: (address: string) => string | undefined
  readonly transcripts: Transcripts
  readonly webhooks: WebhooksOut
  /** Absent: outbound calls are off. */
  readonly dialler: Dialler | undefined
  readonly announcer: Announcer | undefined
  readonly recorder: Recorder | undefined
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Log
}
