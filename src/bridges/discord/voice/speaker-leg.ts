import type { EndReason } from '../../../core/errors.ts'
import type { Leg, LegUplink } from '../../../core/leg.ts'
import type { Log } from '../../../core/log.ts'
import type { LinkCounters } from './link-counters.ts'
import type { OutgoingPacer, Paced } from './outgoing-pacer.ts'
import type { PacketSink, PacketSource } from './packet-sink.ts'

export interface SpeakerLegOptions {
  /** Unique in this process. */
  readonly id: string
  readonly userId: string
  /** See `Leg.call`: a user who leaves the channel and comes back soon is the same party. */
  readonly call?: string
  /** Listened to from `attach` to the end of the leg. The leg ends when it does. */
  readonly source: PacketSource
  readonly pacer: OutgoingPacer
  readonly counters: LinkCounters
  readonly log: Log
  /** Silence after a turn, so that whoever listens knows that it is over (ms). Default 800. */
  readonly turnSilenceMs?: number
}

/** One user of a voice channel, who only speaks: what is played to this leg is heard by nobody. */
export class SpeakerLeg implements Leg, PacketSink, Paced {
  readonly id: string
  readonly channel = 'discord'
  readonly userId: string
  readonly call: string | undefined
  readonly ended: Promise<EndReason>
  readonly congested = false

  constructor(options: SpeakerLegOptions) {
    this.id = options.id
    this.userId = options.userId
    this.call = options.call
    this.ended = new Promise(() => {})
  }

  attach(_uplink: LegUplink): void {}

  packet(_sequence: number, _timestamp: number, _ssrc: number, _opus: Uint8Array): void {}

  tick(_now: number): void {}

  play(): void {}

  mark(_name: string): void {}

  flush(): void {}

  close(_reason: EndReason): Promise<void> {
    return Promise.resolve()
  }
}
