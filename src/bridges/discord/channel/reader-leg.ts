import type { EndReason } from '../../../core/errors.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Leg, LegUplink } from '../../../core/leg.ts'

/** Stands in a room for those who read captions in one language: it says nothing and is played nothing. */
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

  /** Nobody waits to hear anything. */
  mark(name: string): void {
    this.#uplink?.marked(name)
  }

  flush(): void {}

  async close(reason: EndReason): Promise<void> {
    this.#end(reason)
  }
}
