import { errorFields, type Logger } from '../../common/log.ts'
import type { Fleet } from '../model/fleet.ts'

/** Codes or links of rooms. */
export interface Revocable {
  revokeAll(room: string): Promise<unknown>
}

export interface RevocationOptions {
  /** Absent: this process is alone. */
  readonly fleet?: Pick<Fleet, 'onStatus'> | undefined
  readonly log: Logger
}

/**
 * Revokes codes and links of rooms that have ended. Anything that cannot be revoked while the fleet is unavailable is revoked when it
 * is back.
 */
export class RoomRevocation implements Disposable {
  readonly #kinds: readonly Revocable[]
  readonly #options: RevocationOptions
  /** Rooms whose codes or links are still valid. */
  readonly #due = new Set<string>()
  #watch: Disposable | undefined

  constructor(kinds: readonly Revocable[], options: RevocationOptions) {
    this.#kinds = kinds
    this.#options = options
  }

  /** Follows the status of the fleet. Call it once. */
  start(): void {
    this.#watch = this.#options.fleet?.onStatus(status => {
      if (status === 'up') for (const room of Array.from(this.#due)) this.revoke(room)
    })
  }

  /** Revokes everything of `room`. Never throws. */
  revoke(room: string): void {
    this.#due.delete(room)
    for (const kind of this.#kinds)
      kind.revokeAll(room).catch((error: unknown) => {
        this.#due.add(room)
        this.#options.log.warn(errorFields(error), 'codes and links of a room could not be revoked yet')
      })
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]()
  }
}
