/** The error returned by the server. */
export class ApiError extends Error {
  /** `key_wrong`, `room_unknown` and so on; empty if the response had none. */
  readonly code: string
  readonly status: number

  constructor(status: number, code: string, words: string) {
    super(words)
    this.status = status
    this.code = code
  }
}

/** Requests to the server. The key is only sent in a header. */
export class Api {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }

  /** Returns the response as JSON. Rejects with `ApiError`, or `TypeError` if the server is unreachable. */
  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await this.open(method, path, body)
    return await response.json()
  }

  /** Returns the successful response: with `signal`, a stream of events until it aborts. */
  async open(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(path, {
      method,
      cache: 'no-store',
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(signal ? { accept: 'text/event-stream' } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
    if (response.ok) return response
    const said = (await response.json().catch(() => ({}))) as { error?: unknown; description?: unknown }
    throw new ApiError(
      response.status,
      typeof said.error === 'string' ? said.error : '',
      typeof said.description === 'string'
        ? said.description
        : `the server responded with ${response.status}`,
    )
  }
}

/** Describes an error for people. */
export function troubleOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return 'the server is unreachable'
}
