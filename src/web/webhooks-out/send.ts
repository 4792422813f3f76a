/** One attempt to deliver an event. */
export interface Delivery {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Resolves to the HTTP status; rejects when there was no answer, or when `signal` says so. */
export type Send = (delivery: Delivery, signal: AbortSignal) => Promise<number>

/** By HTTP POST. Redirects are not followed, since nobody wrote their addresses into the settings; answers are not read. */
export const sendByHttp: Send = async ({ url, headers, body }, signal) => {
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
  await response.body?.cancel()
  return response.status
}
