import { EngineError } from '../../engine.ts'
import { HttpFault } from '../../wire/http-client.ts'

/** The usual variable of the key at OpenAI itself; other servers of its interface get their own key. */
export const OPENAI_KEY = { variable: 'OPENAI_API_KEY', hosts: /^api\.openai\.com$/ }
/** Its list of models. */
export const OPENAI_QUESTION = { path: '/v1/models' }

/** A part of a request that servers of the same protocol accept in different forms. */
interface DialectPart {
  /** Parameters whose rejection means that this part has to change. */
  readonly parameters: readonly string[]
  /** Number of forms, the preferred first. */
  readonly forms: number
  /** Changes only when the server names the parameter, because the other forms lose something. */
  readonly onlyIfNamed?: boolean
}

/** Form of each part of a request, by the name of the part. */
export type Dialect<P extends string> = Readonly<Record<P, number>>

/** Statuses with which servers reject a parameter: OpenAI returns 400, servers based on FastAPI 422. */
const REJECTED: readonly (number | undefined)[] = [400, 422]

/**
 * Finds the form of a request that a server accepts. A request rejected for a parameter is sent again with the next
 * form of that part; a rejection that names no parameter advances every part that allows it. The accepted form is
 * remembered for the server, so this costs one extra request per server, not one per call.
 */
export class RequestDialect<P extends string> {
  readonly #options: Readonly<Record<P, DialectPart>>
  #accepted: Dialect<P>

  constructor(fields: Readonly<Record<P, DialectPart>>) {
    this.#options = fields
    this.#accepted = Object.fromEntries(Object.keys(fields).map(name => [name, 0])) as Dialect<P>
  }

  /** All parameters whose rejection is handled. */
  get parameters(): readonly string[] {
    return Object.values<DialectPart>(this.#options).flatMap(({ parameters }) => parameters)
  }

  /** Sends a request in the form accepted so far, then in further forms. Rejects like `send` when no form remains. */
  async send<T>(send: (dialect: Dialect<P>) => Promise<T>): Promise<T> {
    let dialect = this.#accepted
    for (;;) {
      try {
        const result = await send(dialect)
        this.#accepted = dialect
        return result
      } catch (error) {
        const next = this.#next(dialect, error)
        if (!next) throw error
        dialect = next
      }
    }
  }

  #next(dialect: Dialect<P>, error: unknown): Dialect<P> | undefined {
    const fault = error instanceof EngineError ? error.cause : error
    if (!(fault instanceof HttpFault) || !REJECTED.includes(fault.status)) return undefined
    const parts = Object.entries<DialectPart>(this.#options) as [P, DialectPart][]
    const { parameter } = fault
    const moving = parts
      .filter(([, part]) =>
        parameter === undefined ? !part.onlyIfNamed : part.parameters.includes(parameter),
      )
      .filter(([name, { forms }]) => dialect[name] + 1 < forms)
    if (moving.length === 0) return undefined
    return { ...dialect, ...Object.fromEntries(moving.map(([name]) => [name, dialect[name] + 1])) }
  }
}
