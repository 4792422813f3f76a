import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { isLanguageId } from '../../common/language.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import { SealedBox } from '../../common/sealed-box.ts'
import type { Fleet, Table } from '../model/fleet.ts'
import type { Invitation } from '../model/invitation.ts'
import { ORIGINAL_VOICES, type ParticipantKey, type ParticipantState } from '../model/participant-state.ts'
import type { Relay } from '../room/relay.ts'

const language = z.string().refine(isLanguageId).nullable()
const text = z.string().max(256).nullable()

/** Changes by a participant; null: removed. */
const changesSchema = z.object({
  speaks: language,
  hears: language,
  voice: text,
  name: text,
  original: z.enum(ORIGINAL_VOICES as ['off', 'low', 'duck']),
})
type Changes = z.infer<typeof changesSchema>

const KEPT: readonly ParticipantKey[] = ['speaks', 'hears', 'voice', 'name', 'original']

export interface KeptChangesOptions {
  readonly fleet: Pick<Fleet, 'table' | 'digest'>
  readonly relay: Relay
  readonly log: Logger
}

/**
 * Languages and other settings that participants of calls have changed, kept for a day where all nodes of a fleet can read
 * them, so that a call that resumes at another node has them. Written when something changes, encrypted, under a digest
 * of the call’s ID.
 */
export class KeptChanges implements Disposable {
  readonly #options: KeptChangesOptions
  readonly #table: Table<{ sealed: string }>
  readonly #box: SealedBox
  /** Writes run one after the other, so that the last change wins. */
  #writing: Promise<void> = Promise.resolve()
  #subscription: Disposable | undefined

  constructor(options: KeptChangesOptions) {
    this.#options = options
    this.#table = options.fleet.table('day', 'changed participants', z.object({ sealed: z.string() }))
    this.#box = new SealedBox(options.fleet.digest('the key of changed participants'))
  }

  /** Keeps changes from now on. Call it once. */
  start(): void {
    const { relay } = this.#options
    this.#subscription = relay.observer.on('changed', ({ participant, state, changes }) => {
      const call = relay.find(participant)?.leg.call
      if (call !== undefined && changes.some(change => KEPT.includes(change))) this.#keep(call, state)
    })
  }

  /** Returns `invitation` with what was changed in the call. Never rejects: while the fleet is unavailable, no changes are known. */
  async applied(call: string, invitation: Invitation): Promise<Invitation> {
    try {
      const changes = await this.#find(call)
      return changes ? { ...invitation, ...invited(changes) } : invitation
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      this.#options.log.warn(errorFields(error), 'changes of a participant cannot be read')
      return invitation
    }
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]()
  }

  async #find(call: string): Promise<Changes | undefined> {
    const key = this.#keyOf(call)
    const entry = await this.#table.get(key)
    const opened = entry && this.#box.open(entry.value.sealed, key)
    return opened === undefined ? undefined : changesSchema.parse(JSON.parse(opened))
  }

  #keep(call: string, state: ParticipantState): void {
    const { speaks = null, hears = null, voice = null, name = null, original } = state
    const changes: Changes = { speaks, hears, voice, name, original }
    const key = this.#keyOf(call)
    const value = { sealed: this.#box.seal(JSON.stringify(changes), key) }
    this.#writing = this.#writing
      .then(() => this.#table.put(key, value))
      .catch((error: unknown) =>
        this.#options.log.warn(errorFields(error), 'changes of a participant cannot be stored'),
      )
  }

  #keyOf(call: string): string {
    return this.#options.fleet.digest(`call ${call}`)
  }
}

function invited({ speaks, hears, voice, name, original }: Changes): Partial<Invitation> {
  const [from, to] = [speaks ?? undefined, hears ?? undefined]
  return { speaks: from, hears: to, voice: voice ?? undefined, name: name ?? undefined, original }
}
