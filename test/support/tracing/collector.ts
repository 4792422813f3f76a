import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as streamText } from 'node:stream/consumers'

/** A span as received by the collector, times in ms since 1970. */
export interface ReadSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly fromMs: number
  readonly toMs: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number
  readonly message: string
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
}
interface Attribute {
  readonly key: string
  readonly value: Value
}

const plain = ({ stringValue, intValue, doubleValue }: Value) =>
  stringValue ?? (intValue === undefined ? doubleValue : Number(intValue))
const attributesOf = (attributes: readonly Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))

/** An OTLP collector on loopback that keeps its input; `slow` sends no response until it is closed. */
export async function collector({ slow = false, port = 0 }: { slow?: boolean; port?: number } = {}) {
  const spans: ReadSpan[] = []
  const resources: Record<string, unknown>[] = []
  const requests: { path: string; headers: IncomingHttpHeaders; text: string }[] = []
  const server = createServer(async (request, response) => {
    const text = await streamText(request).catch(() => undefined)
    // The exporter has given up.
    if (text === undefined) return
    requests.push({ path: request.url ?? '', headers: request.headers, text })
    if (slow) return
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      resources.push(attributesOf(resource.attributes))
      for (const { spans: batch } of scopeSpans)
        for (const span of batch)
          spans.push({
            name: span.name,
            traceId: span.traceId,
            spanId: span.spanId,
            parentSpanId: span.parentSpanId ?? '',
            fromMs: Number(span.startTimeUnixNano) / 1e6,
            toMs: Number(span.endTimeUnixNano) / 1e6,
            attributes: attributesOf(span.attributes),
            status: span.status?.code ?? 0,
            message: span.status?.message ?? '',
          })
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
