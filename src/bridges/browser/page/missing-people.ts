import type { PartyView } from '../protocol.ts'

/** Time after which whoever is missing has not come back (ms). */
const NOT_BACK_MS = 10_000

/** A participant as the page shows them. */
export interface ShownParty extends PartyView {
  /** They were there before the server restarted, and have not come back. */
  readonly missing?: true
}

/** Knows who was in the room when the server stopped, and who has returned since. Times in ms of one clock. */
export class MissingPeople {
  #server: string | undefined
  #there: readonly PartyView[] = []
  #missing: readonly PartyView[] = []
  #since = 0

  /** The server admitted this page; `server` is the id of its run. */
  welcomed(server: string, parties: readonly PartyView[], now: number): void {
    const restarted = this.#server !== undefined && this.#server !== server
    this.#server = server
    if (restarted) {
      const others = [...this.#missing, ...this.#there].filter(({ you }) => !you)
      // Voice channels return by themselves, as other participants.
      this.#missing = others.filter(({ channel }) => channel !== 'discord')
      this.#since = now
    }
    this.changed(parties)
  }

  /** These are in the room now. */
  changed(parties: readonly PartyView[]): void {
    this.#there = parties
    this.#missing = this.#missing.filter(each => !parties.some(party => same(party, each)))
  }

  /** Those in the room, and those who are missing at `now`. */
  shown(now: number): readonly ShownParty[] {
    const late = this.#late(now)
    return [
      ...this.#there,
      ...this.#missing.map(each => ({ ...each, absent: true, ...(late ? { missing: true as const } : {}) })),
    ]
  }

  /** Those who have not come back at `now`. */
  notBack(now: number): readonly PartyView[] {
    return this.#late(now) ? this.#missing : []
  }

  get waiting(): boolean {
    return this.#missing.length > 0
  }

  /** The call is over. */
  forget(): void {
    this.#server = undefined
    this.#there = this.#missing = []
  }

  #late(now: number): boolean {
    return now - this.#since >= NOT_BACK_MS
  }
}

function same(a: PartyView, b: PartyView): boolean {
  return a.name === b.name && (a.id === b.id || (a.channel === b.channel && a.name !== undefined))
}
