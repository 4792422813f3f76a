/** Server-sent events as text (WHATWG HTML, “Server-sent events”). */

/** Formats an event. `data` is sent as JSON, which contains no line breaks. */
export function sseEvent(name: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Keeps proxies from closing a silent connection; readers ignore it. */
export const SSE_HEARTBEAT = ': \n\n'

/** Sets how long readers wait before they reconnect. */
export function sseRetry(ms: number): string {
  return `retry: ${ms}\n\n`
}
