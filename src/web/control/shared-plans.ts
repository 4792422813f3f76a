import { z } from 'zod'
import { errorFields, type Logger } from '../../common/log.ts'
import type { Fleet, Table } from '../../core/model/fleet.ts'

/** Subject on which nodes tell each other of created and ended rooms. */
const SUBJECT = 'created room'

const planSchema = z.object({
  room: z.string(),
  /** Allowed languages; absent: any. */
  languages: z.array(z.string()).readonly().optional(),
  maxParticipants: z.number().optional(),
  /** The room ends this long after the first participant has joined. */
  maxMinutes: z.number().optional(),
  /** The room ends when it has been empty for this long. */
  emptyMinutes: z.number(),
  /** ISO 8601. */
  createdAt: z.string(),
})
/** Rules of a created room. */
export type RoomPlan = Readonly<z.infer<typeof planSchema>>

/** A created room, and the node that runs its timers. */
const entrySchema = z.object({
  plan: planSchema,
  node: z.string(),
  /** It has participants. */
  open: z.boolean().default(false),
  /** Since when it has, or since when it is empty (ms since 1970). */
  since: z.number(),
})
const changeSchema = z.object({ room: z.string(), entry: entrySchema.optional() })

export type SharedPlanEntry = z.infer<typeof entrySchema>
/** Presence of participants in a created room, and its start (ms since 1970). */
export type SharedPlanState = Pick<SharedPlanEntry, 'open' | 'since'>

export interface SharedPlansOptions {
  readonly fleet: Fleet
  readonly log: Logger
  /** A room was created or taken over at another node; undefined: it ended there. */
  readonly changed: (room: string, entry: SharedPlanEntry | undefined) => void
  /** All rooms in the table, when they were read. */
  readonly read: (entries: readonly SharedPlanEntry[]) => void
}

/**
 * Created rooms in the table of a process or fleet. Nodes notify each other of changes, and read all rooms at the start and after an
 * interruption.
 */
export class SharedPlans implements Disposable {
  readonly #options: SharedPlansOptions
  readonly #table: Table<SharedPlanEntry>
  /** Ended rooms that are still in the table. */
  readonly #ended = new Set<string>()
  #watches: readonly Disposable[] = []

  constructor(options: SharedPlansOptions) {
    this.#options = options
    this.#table = options.fleet.table('week', 'created rooms', entrySchema)
  }

  /** Reads all rooms and follows the other nodes. Call it once. Settles when they are read, or cannot be. Never rejects. */
  start(): Promise<void> {
    const { fleet, changed } = this.#options
    this.#watches = [
      fleet.exchange.hear(SUBJECT, changeSchema, ({ room, entry }) => changed(room, entry)),
      fleet.onStatus(status => {
        if (status === 'up') void this.#catchUp()
      }),
    ]
    return this.#catchUp()
  }

  /** Resolves to false if a room of this name exists. Rejects with `BridgeError` `FLEET_AWAY`. */
  async create(plan: RoomPlan, since: number): Promise<boolean> {
    const entry = { plan, node: this.#options.fleet.node, open: false, since }
    if ((await this.#table.create(this.#keyOf(plan.room), entry)) === undefined) return false
    this.#tell(plan.room, entry)
    return true
  }

  /** Returns the entry of the room in the table. Rejects with `BridgeError` `FLEET_AWAY`. */
  async get(room: string): Promise<SharedPlanEntry | undefined> {
    return (await this.#table.get(this.#keyOf(room)))?.value
  }

  /** This node runs the timers of `plan` from now on: it has opened here, or has closed. Never throws. */
  record(plan: RoomPlan, state: SharedPlanState): void {
    const entry = { plan, node: this.#options.fleet.node, ...state }
    this.#tell(plan.room, entry)
    void this.#try(async () => {
      const key = this.#keyOf(plan.room)
      const before = await this.#table.get(key)
      if (before) await this.#table.replace(key, entry, before.revision)
    })
  }

  /**
   * Takes the timers of `room` over from `gone`, a node that has ended, unless another node has done so. A room that had
   * participants there is empty since `now`.
   */
  takeOver(room: string, gone: string, now: number): void {
    void this.#try(async () => {
      const key = this.#keyOf(room)
      const before = await this.#table.get(key)
      if (before?.value.node !== gone) return
      const { plan, open, since } = before.value
      const entry = { plan, node: this.#options.fleet.node, open: false, since: open ? now : since }
      if ((await this.#table.replace(key, entry, before.revision)) === undefined) return
      this.#tell(room, entry)
      this.#options.changed(room, entry)
    })
  }

  /** The room has ended. Never throws: while the fleet is unavailable, the entry is deleted later. */
  delete(room: string): void {
    this.#ended.add(room)
    this.#tell(room, undefined)
    void this.#try(async () => {
      await this.#table.delete(this.#keyOf(room))
      this.#ended.delete(room)
    })
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches) watch[Symbol.dispose]()
  }

  #catchUp(): Promise<void> {
    for (const room of this.#ended) this.delete(room)
    return this.#try(async () => {
      const entries = await this.#table.entries()
      const rooms = Array.from(entries.values(), ({ value }) => value)
      this.#options.read(rooms.filter(({ plan }) => !this.#ended.has(plan.room)))
    })
  }

  #tell(room: string, entry: SharedPlanEntry | undefined): void {
    this.#options.fleet.exchange.tell(SUBJECT, { room, entry })
  }

  #try(work: () => Promise<void>): Promise<void> {
    return work().catch((error: unknown) =>
      this.#options.log.warn(errorFields(error), 'created rooms could not be stored yet'),
    )
  }

  #keyOf(room: string): string {
    return this.#options.fleet.digest(room)
  }
}
