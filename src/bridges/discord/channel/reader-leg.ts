import type { EndReason } from '../../../common/errors.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Leg, LegUplink } from '../../../core/model/leg.ts'

/** A silent leg that makes the room produce captions in one language. It neither sends nor plays audio. */
export class ReaderLeg implements Leg {
  readonly id: string
  readonly channel = 'discord'
  readonly language: LanguageId
  readonly congested = false
  readonly ended: Promise<EndReason>
  readonly #end: (reason: EndReason) => void
  #uplink: LegUplink | undefined

  constructor(id: string, language: LanguageId) {
    this.id = id
    this.language = language
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#end = resolve
  }

  attach(uplink: LegUplink): void {
    this.#uplink = uplink
  }

  play(): void {}

  /** No audio is played, so marks are reached immediately. */
  mark(name: string): void {
    this.#uplink?.marked(name)
  }

  flush(): void {}

  async close(reason: EndReason): Promise<void> {
    this.#end(reason)
  }
}
