import { z } from 'zod'
import { SealedBox } from '../../common/sealed-box.ts'
import type { Table } from '../model/fleet.ts'
import type { SharedState } from '../model/shared-state.ts'

/** An emptied index is kept this long, for additions in progress (ms). */
const EMPTY_MS = 60_000

const secretSchema = z.object({
  room: z.string(),
  until: z.number(),
  /** The encrypted secret, of a kind that can be listed. */
  sealed: z.string().optional(),
  /** What its owner knows about it. */
  about: z.string().optional(),
})
/** The secrets of a room: their digests, and until when each is valid. */
const indexSchema = z.object({ secrets: z.record(z.string(), z.number()), until: z.number() })

type Secret = z.infer<typeof secretSchema>
type Index = z.infer<typeof indexSchema>

/** A valid secret of a room. */
export interface KnownSecret {
  readonly secret: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/** What is known about a valid secret. */
export interface NotedSecret {
  readonly room: string
  readonly about: string | undefined
  /** Time until it expires (ms). */
  readonly leftMs: number
}

/**
 * Codes or tokens that admit to rooms, known by their digests, to all nodes of a fleet, until they expire or are removed. Listed
 * ones are stored encrypted. Methods reject with `BridgeError` `FLEET_AWAY` while the fleet is unavailable.
 */
export class RoomSecrets {
  readonly #state: SharedState
  readonly #secrets: Table<Secret>
  /** By the digest of the room, so that all of a room can be removed. */
  readonly #indexes: Table<Index>
  /** Encrypts the secrets; absent: they are not listed. */
  readonly #box: SealedBox | undefined
  /** Removals in progress, by room. */
  readonly #removing = new Map<string, Promise<number>>()

  /** `kind` names the tables: all nodes share the secrets of one kind. `listed`: `list` can return them. */
  constructor(state: SharedState, kind: string, { listed = false }: { readonly listed?: boolean } = {}) {
    this.#state = state
    this.#box = listed ? new SealedBox(state.fleet.digest(`the key of ${kind}`)) : undefined
    this.#secrets = state.fleet.table('week', kind, secretSchema)
    this.#indexes = state.fleet.table('week', `${kind} by room`, indexSchema)
  }

  /** Adds `secret` for `room`, valid for `ttlMs`, with a note `about` it. Returns false if it is in use. */
  async add(secret: string, room: string, ttlMs: number, about?: string): Promise<boolean> {
    await this.#removing.get(room)?.catch(() => 0)
    const key = this.#keyOf(secret)
    const until = this.#state.wall() + ttlMs
    // The index first: a secret without it could not be removed with its room.
    await this.#change(room, secrets => ({ ...secrets, [key]: until }))
    const value = { room, until, sealed: this.#box?.seal(secret, key), about }
    if ((await this.#secrets.create(key, value)) !== undefined) return true
    const taken = await this.#secrets.get(key)
    if (taken && this.#valid(taken.value)) return false
    if (!taken) return (await this.#secrets.create(key, value)) !== undefined
    return (await this.#secrets.replace(key, value, taken.revision)) !== undefined
  }

  /** Returns the room of `secret`, or undefined if it is unknown or expired. */
  async find(secret: string): Promise<string | undefined> {
    const entry = await this.#secrets.get(this.#keyOf(secret))
    return entry && this.#valid(entry.value) ? entry.value.room : undefined
  }

  /** Returns the room of `secret` with the note about it and its remaining time (ms); undefined as with `find`. */
  async look(secret: string): Promise<NotedSecret | undefined> {
    const entry = await this.#secrets.get(this.#keyOf(secret))
    return entry && this.#noted(entry.value)
  }

  /** Returns all valid secrets, without themselves. Slow. */
  async all(): Promise<readonly NotedSecret[]> {
    const entries = Array.from(await this.#secrets.entries(), ([, { value }]) => this.#noted(value))
    return entries.filter(noted => noted !== undefined)
  }

  #noted(secret: Secret): NotedSecret | undefined {
    const { room, about, until } = secret
    return this.#valid(secret) ? { room, about, leftMs: until - this.#state.wall() } : undefined
  }

  /** Removes `secret`. Returns false if it was not valid. */
  async remove(secret: string): Promise<boolean> {
    const key = this.#keyOf(secret)
    const entry = await this.#secrets.get(key)
    if (!entry) return false
    await this.#secrets.delete(key)
    await this.#change(entry.value.room, ({ [key]: _, ...others }) => others)
    return this.#valid(entry.value)
  }

  /** Removes all secrets of `room`. Returns the number of valid ones. */
  removeAll(room: string): Promise<number> {
    const removing = this.#removeAll(room).finally(() => this.#removing.delete(room))
    this.#removing.set(room, removing)
    return removing
  }

  async #removeAll(room: string): Promise<number> {
    let removed = 0
    for (const key of Object.keys(await this.#change(room, () => ({})))) {
      const entry = await this.#secrets.get(key)
      // Another room can have got the same code since.
      if (entry?.value.room !== room) continue
      await this.#secrets.delete(key)
      if (this.#valid(entry.value)) removed++
    }
    return removed
  }

  /** Returns the valid secrets of `room`, oldest first. */
  async list(room: string): Promise<readonly KnownSecret[]> {
    const index = await this.#indexes.get(this.#keyOf(room))
    const known: KnownSecret[] = []
    for (const key of Object.keys(index?.value.secrets ?? {})) {
      const entry = await this.#secrets.get(key)
      // Another room can have got the same code since.
      if (entry?.value.room !== room || !this.#valid(entry.value)) continue
      const { sealed, until } = entry.value
      const secret = sealed === undefined ? undefined : this.#box?.open(sealed, key)
      if (secret !== undefined) known.push({ secret, until })
    }
    return known
  }

  /** Returns the rooms with valid secrets. Slow. */
  async rooms(): Promise<ReadonlySet<string>> {
    const entries = Array.from(await this.#secrets.entries(), ([, { value }]) => value)
    return new Set(entries.filter(value => this.#valid(value)).map(({ room }) => room))
  }

  /** Returns true if `room` has a valid secret. */
  async has(room: string): Promise<boolean> {
    const index = await this.#indexes.get(this.#keyOf(room))
    return index !== undefined && Object.values(index.value.secrets).some(until => until > this.#state.wall())
  }

  /** Returns the number of valid secrets of all rooms, and deletes expired ones. Slow. */
  async count(): Promise<number> {
    const now = this.#state.wall()
    let valid = 0
    for (const [key, { value }] of await this.#secrets.entries())
      if (this.#valid(value)) valid++
      else await this.#secrets.delete(key)
    for (const [key, { value }] of await this.#indexes.entries())
      if (value.until <= now) await this.#indexes.delete(key)
    return valid
  }

  /** Changes the index of `room` and returns what it was. */
  async #change(
    room: string,
    change: (secrets: Index['secrets']) => Index['secrets'],
  ): Promise<Index['secrets']> {
    const key = this.#keyOf(room)
    for (;;) {
      const now = this.#state.wall()
      const before = await this.#indexes.get(key)
      const secrets = Object.fromEntries(
        Object.entries(before?.value.secrets ?? {}).filter(([, until]) => until > now),
      )
      const changed = change(secrets)
      if (!before && Object.keys(changed).length === 0) return secrets
      const index = { secrets: changed, until: Math.max(now + EMPTY_MS, ...Object.values(changed)) }
      const written = before
        ? await this.#indexes.replace(key, index, before.revision)
        : await this.#indexes.create(key, index)
      if (written !== undefined) return secrets
    }
  }

  #valid({ until }: Secret): boolean {
    return until > this.#state.wall()
  }

  #keyOf(text: string): string {
    return this.#state.fleet.digest(text)
  }
}
