import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { SealedBox } from '../../common/sealed-box.ts'
import type { Fleet, Table } from '../../core/model/fleet.ts'
import { ControlError } from './errors.ts'

/** A response: a value or an error. */
export interface Answered {
  readonly status: number
  readonly body: unknown
}

/** The response to a request. `again`: that of an earlier one. */
export interface Executed {
  readonly answered: Answered
  readonly again: boolean
}

const WHAT = 'idempotent answer'
/** Maximum duration of a request at another node (ms). */
const ANSWER_MS = 30_000

/** A request that a node executes, or has executed. */
const entrySchema = z.object({
  digest: z.string(),
  node: z.string(),
  incarnation: z.string(),
  /** The encrypted response. Absent: the request is in progress. */
  answer: z.string().optional(),
})
type Entry = z.infer<typeof entrySchema>

const answeredSchema = z.object({ status: z.int(), body: z.unknown() })

/**
 * Executes each request at one node of a fleet. The node that creates the entry of the request executes it; others wait
 * for its response. Responses are encrypted, because they contain codes, tokens and phone numbers.
 */
export class SharedAnswers implements Disposable {
  readonly #fleet: Fleet
  readonly #table: Table<Entry>
  readonly #box: SealedBox
  readonly #answering: Disposable

  /** `own` returns the response to a request that is in progress or was executed here. */
  constructor(fleet: Fleet, own: (place: string) => Promise<Answered> | undefined) {
    this.#fleet = fleet
    this.#table = fleet.table('day', 'idempotency', entrySchema)
    this.#box = new SealedBox(fleet.digest('the key of idempotent answers'))
    this.#answering = fleet.exchange.answer(WHAT, z.object({ place: z.string() }), async ({ place }) => {
      const answered = await own(place)
      if (answered) return { sealed: this.#seal(answered, place) }
      throw new BridgeError('NODE_GONE', 'the request is unknown here', { retryable: true })
    })
  }

  /** Returns the name of the request of `holder` under `key`. */
  placeOf(holder: string, key: string): string {
    return this.#fleet.digest(`${holder} ${key}`)
  }

  /**
   * Executes `work` unless a node does so under `place`. Rejects with `idempotency_reused` if that is another request, with
   * `not_now` if that node has ended, with `BridgeError` `FLEET_AWAY`, or `NODE_LATE`.
   */
  async once(place: string, digest: string, work: () => Promise<Answered>): Promise<Executed> {
    const { node, incarnation } = this.#fleet
    for (;;) {
      const revision = await this.#table.create(place, { digest, node, incarnation })
      if (revision !== undefined) return this.#execute(place, { digest, node, incarnation }, revision, work)
      const entry = (await this.#table.get(place))?.value
      // Its retryable failure was deleted meanwhile.
      if (!entry) continue
      if (entry.digest !== digest) throw new ControlError('idempotency_reused')
      return { answered: await this.#answerOf(place, entry), again: true }
    }
  }

  [Symbol.dispose](): void {
    this.#answering[Symbol.dispose]()
  }

  async #execute(
    place: string,
    entry: Entry,
    revision: number,
    work: () => Promise<Answered>,
  ): Promise<Executed> {
    const answered = await work()
    try {
      if (answered.status === 503) await this.#table.delete(place)
      else await this.#table.replace(place, { ...entry, answer: this.#seal(answered, place) }, revision)
    } catch (error) {
      // The request was executed; other nodes ask for the response here.
      if (!(error instanceof BridgeError)) throw error
    }
    return { answered, again: false }
  }

  async #answerOf(place: string, { node, incarnation, answer }: Entry): Promise<Answered> {
    if (answer !== undefined) return this.#open(answer, place)
    if (this.#fleet.nodes.some(each => each.node === node && each.incarnation === incarnation))
      try {
        const answered = await this.#fleet.exchange.ask(node, WHAT, { place }, ANSWER_MS)
        return this.#open(z.object({ sealed: z.string() }).parse(answered).sealed, place)
      } catch (error) {
        if (!(error instanceof BridgeError && error.code === 'NODE_GONE')) throw error
      }
    const stored = (await this.#table.get(place))?.value.answer
    if (stored !== undefined) return this.#open(stored, place)
    // It has possibly had its effect, so it is not executed again.
    throw new ControlError('not_now', 'the server of the first request with this Idempotency-Key has ended')
  }

  #seal(answered: Answered, place: string): string {
    return this.#box.seal(JSON.stringify(answered), place)
  }

  #open(sealed: string, place: string): Answered {
    const text = this.#box.open(sealed, place)
    if (text === undefined) throw new BridgeError('FLEET_FAILED', 'a stored response cannot be decrypted')
    return answeredSchema.parse(JSON.parse(text))
  }
}
