import type { EndReason } from '../../../core/errors.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Leg, LegUplink } from '../../../core/leg.ts'

/** One language that a voice channel hears. What it is played goes into the one stream of its `ChannelVoice`. */
export class EarLeg implements Leg {
  readonly id: string
  readonly channel = 'discord'
  readonly language: LanguageId
  readonly ended: Promise<EndReason>

  constructor(id: string, language: LanguageId) {
    this.id = id
    this.language = language
    this.ended = new Promise(() => {})
  }

  get congested(): boolean {
    return false
  }

  attach(_uplink: LegUplink): void {}

  play(_frames: Int16Array): void {}

  mark(_name: string): void {}

  flush(): void {}

  close(_reason: EndReason): Promise<void> {
    return Promise.resolve()
  }
}
