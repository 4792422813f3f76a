import type { LanguageId } from '../../../common/language.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import type { Admission, Invitation } from '../../../core/model/invitation.ts'
import type { Leg, LegUplink } from '../../../core/model/leg.ts'
import type { Participant } from '../../../core/room/participant.ts'
import type { Relay } from '../../../core/room/relay.ts'

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

export interface LanguageLegsOptions {
  readonly relay: Pick<Relay, 'find'>
  readonly admission: Admission
  /** Common invitation; each leg adds the language it hears. */
  readonly invitation: Invitation
  /** Creates a leg for `language`. */
  readonly leg: (language: LanguageId) => Leg
  /** Called when a leg ends without being released. */
  readonly onLost?: (reason: EndReason) => void
}

/** The participants that hear or read a room for a channel, one per language. */
export class LanguageLegs {
  readonly #options: LanguageLegsOptions
  readonly #legs = new Map<LanguageId, Leg>()

  constructor(options: LanguageLegsOptions) {
    this.#options = options
  }

  get languages(): readonly LanguageId[] {
    return Array.from(this.#legs.keys())
  }

  of(language: LanguageId): Participant | undefined {
    const leg = this.#legs.get(language)
    return leg && this.#options.relay.find(leg.id)
  }

  get all(): readonly Participant[] {
    return this.languages.flatMap(language => this.of(language) ?? [])
  }

  /**
   * Keeps one participant per language in `languages`, with `original` for all of them. A participant no longer
   * needed switches to a missing language without a gap. Throws `BridgeError` `CAPACITY` if one is rejected; the others
   * are still set up.
   */
  fit(languages: readonly LanguageId[], original: Invitation['original'] = 'duck'): void {
    const spare = this.languages.filter(language => !languages.includes(language))
    const missing = languages.filter(language => !this.#legs.has(language))
    for (const language of this.languages)
      if (!spare.includes(language)) this.of(language)?.change({ original })
    let failure: unknown
    for (const language of missing) {
      const old = spare.shift()
      if (old !== undefined && this.#takeOver(old, language, original)) continue
      try {
        this.#admit(language, original)
      } catch (error) {
        failure = error
      }
    }
    for (const language of spare) void this.#take(language)?.close({ kind: 'unused' })
    if (failure !== undefined) throw failure
  }

  /** Switches translation for all of them on or off. */
  interpret(interpreting: boolean): void {
    for (const participant of this.all) participant.change({ interpreting })
  }

  /** Removes all of them. Idempotent. */
  async close(reason: EndReason): Promise<void> {
    await Promise.all(this.languages.map(language => this.#take(language)?.close(reason)))
  }

  #take(language: LanguageId): Leg | undefined {
    const leg = this.#legs.get(language)
    this.#legs.delete(language)
    return leg
  }

  #takeOver(from: LanguageId, to: LanguageId, original: Invitation['original']): boolean {
    const participant = this.of(from)
    const leg = this.#take(from)
    if (!leg || !participant) return false
    this.#legs.set(to, leg)
    participant.change({ hears: to, original })
    return true
  }

  #admit(language: LanguageId, original: Invitation['original']): void {
    const { admission, invitation, leg: make, onLost } = this.#options
    const leg = make(language)
    try {
      admission.admit(leg, { ...invitation, hears: language, original })
    } catch (error) {
      void leg.close({ kind: 'unused' })
      throw error
    }
    this.#legs.set(language, leg)
    void leg.ended.then(reason => {
      for (const [at, each] of this.#legs) {
        if (each !== leg) continue
        // Released legs have already been removed.
        this.#legs.delete(at)
        onLost?.(reason)
      }
    })
  }
}
