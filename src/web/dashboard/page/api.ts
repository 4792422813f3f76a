/** What the server said when it did not do what it was asked. */
export class ApiError extends Error {
  /** `key_wrong`, `room_unknown` and the like; empty where it said nothing of the kind. */
  readonly code: string
  readonly status: number

  constructor(status: number, code: string, words: string) {
    super(words)
    this.status = status
    this.code = code
  }
}

/** Asks the server with a key, which is in a header and nowhere else. */
export class Api {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }

  /** JSON of the answer. Rejects with `ApiError`; with `TypeError` where there is no server. */
  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await this.open(method, path, body)
    return await response.json()
  }

  /** The answer itself, once it is there and good. */
  async open(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(path, {
      method,
      cache: 'no-store',
      headers: {
        authorization: `Bearer ${this.key}`,
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
      typeof said.description === 'string' ? said.description : `the server answered ${response.status}`,
    )
  }
}

/** What went wrong, for people. */
export function troubleOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return 'the server cannot be reached'
}
