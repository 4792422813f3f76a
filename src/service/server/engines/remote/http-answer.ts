import { HttpFault } from './http-fault.ts'

/** Callbacks of the request to which a response belongs. */
export interface AnswerOwner {
  /** Called at the end of the response, at least once. */
  ended(): void
  /** Converts a fault that occurs while reading. */
  explained(fault: HttpFault): unknown
}

/**
 * A response whose head has arrived. The holder reads it to its end or closes it; the request's deadline applies until
 * then.
 */
export class HttpAnswer {
  /** Content type in lower case, without parameters; empty if missing. */
  readonly type: string
  readonly #response: Response
  readonly #owner: AnswerOwner

  constructor(response: Response, owner: AnswerOwner) {
    this.#response = response
    this.#owner = owner
    this.type = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  }

  /** Yields the bytes as they arrive. Throws if there are more than `most`, or if the connection breaks. */
  async *bytes(most: number): AsyncGenerator<Uint8Array> {
    let count = 0
    try {
      for await (const piece of this.#response.body ?? []) {
        count += piece.length
        if (count > most) throw new HttpFault(`returned more than ${most} bytes`)
        yield piece
      }
    } catch (cause) {
      if (cause instanceof HttpFault) throw this.#owner.explained(cause)
      throw this.#owner.explained(new HttpFault('interrupted its response', { passing: true, cause }))
    } finally {
      this.#owner.ended()
    }
  }

  /** Reads all bytes as text. */
  async text(most: number): Promise<string> {
    const pieces: Uint8Array[] = []
    for await (const piece of this.bytes(most)) pieces.push(piece)
    return Buffer.concat(pieces).toString('utf8')
  }

  async json(most: number): Promise<unknown> {
    const text = await this.text(most)
    try {
      return JSON.parse(text)
    } catch {
      // The cause would quote the text.
      throw new HttpFault(`returned ${this.type || 'a body'} that is not JSON`)
    }
  }

  /** Discards the rest. Idempotent. */
  async close(): Promise<void> {
    this.#owner.ended()
    await this.#response.body?.cancel().catch(() => {})
  }
}

/** The parts of an error's body that are safe to log: single words. Messages are skipped, as they may quote the request. */
export interface ErrorDetails {
  readonly code: string | undefined
  /** The request parameter that the server rejected. */
  readonly parameter: string | undefined
}

/** Reads an error response. `parameters` are searched for in its message if the body has no field for them. */
export async function errorDetails(
  answer: HttpAnswer,
  most: number,
  parameters: readonly string[] = [],
): Promise<ErrorDetails> {
  let text: string
  try {
    text = await answer.text(most)
  } catch {
    return { code: undefined, parameter: undefined }
  }
  const { code, type, param } = errorIn(text)
  // A message often recommends the replacement after the rejected parameter: the first one mentioned counts.
  const [mentioned] = parameters
    .map(name => ({ name, at: text.search(new RegExp(`(?<![a-z_])${name}(?![a-z_])`)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
  return { code: word(code) ?? word(type), parameter: word(param) ?? mentioned?.name }
}

function errorIn(text: string): { code?: unknown; type?: unknown; param?: unknown } {
  try {
    const body = JSON.parse(text) as { error?: unknown } | null
    return typeof body?.error === 'object' && body.error ? body.error : {}
  } catch {
    return {}
  }
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z_]{1,40}$/.test(value) ? value : undefined
}
