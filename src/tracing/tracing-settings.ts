import { z } from 'zod'

const ADDRESS = 'an http:// or https:// address without user, query or fragment'

/** Destination of traces. Tracing is off without a URL. */
export const tracingSettingsSchema = z.strictObject({
  url: z.string().refine(isPlain, ADDRESS).optional().describe(ADDRESS).meta({
    about:
      'OpenTelemetry collector that takes OTLP over HTTP; of an address alone `/v1/traces`. Absent: no traces.',
  }),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header'), z.string().max(4_096))
    .default({})
    .describe('headers, each with its value, like { authorization: "Bearer …" }')
    .meta({ about: 'Headers for the collector, such as its key.' }),
  sampleRatio: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ about: 'Share of the utterances that are traced.' }),
  service: z
    .string()
    .min(1)
    .max(64)
    .default('dragoman')
    .meta({ about: 'What this server is called in traces (`service.name`).' }),
})

export type TracingSettings = z.output<typeof tracingSettingsSchema>

/** Returns the traces URL of a collector; adds the default path if `url` has none. */
export function traceAddress(url: string): string {
  const { pathname } = new URL(url)
  return pathname === '/' ? new URL('/v1/traces', url).href : url
}

function isPlain(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return !url.username && !url.password && !url.search && !url.hash
}
