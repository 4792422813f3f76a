/** Server-sent events as text (WHATWG HTML, “Server-sent events”). */

/** One event. `data` is sent as JSON, which has no line breaks of its own. */
export function sseEvent(name: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Keeps proxies from taking the silence for the end; readers do not see it. */
export const SSE_HEARTBEAT = ': \n\n'

/** How long a reader waits before it comes back. */
export function sseRetry(ms: number): string {
  return `retry: ${ms}\n\n`
}
