import type { LanguageId } from '../../../core/languages.ts'
import { EarLeg } from './ear-leg.ts'
import type { LinkCounters } from './link-counters.ts'
import type { OutgoingPacer, Paced } from './outgoing-pacer.ts'
import type { PacketPlayer } from './packet-sink.ts'

export interface ChannelVoiceOptions {
  /** Unique in this process; ears are named after it: `<id> ear <language>`. */
  readonly id: string
  readonly player: PacketPlayer
  readonly pacer: OutgoingPacer
  readonly counters: LinkCounters
}

/** All that a voice channel hears from us: the one stream that a bot may send there, mixed from its ears. */
export class ChannelVoice implements Paced {
  constructor(_options: ChannelVoiceOptions) {}

  /** A new ear; the leg is the caller's, to be admitted. It leaves the mix when it ends. */
  ear(language: LanguageId): EarLeg {
    return new EarLeg(language, language)
  }

  tick(_now: number): void {}

  /** Nothing is sent any more; ears end. Idempotent. */
  close(): void {}
}
