import { z } from 'zod'
import { urlSchema } from '../../common/setting-fields.ts'

/** Destination of traces. Tracing is off without a URL. */
export const tracingSettingsSchema = z.strictObject({
  url: urlSchema('an http:// or https:// address without user, query or fragment').optional().meta({
    about:
      'URL of an OpenTelemetry collector (OTLP over HTTP); without a path, `/v1/traces` is used. Tracing is off by default.',
  }),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'a header name'), z.string().max(4_096))
    .default({})
    .describe('headers with values, such as { authorization: "Bearer …" }')
    .meta({ about: 'Headers for the collector, such as its key.' }),
  sampleRatio: z.number().min(0).max(1).default(1).meta({ about: 'Share of utterances to trace.' }),
  serviceName: z
    .string()
    .min(1)
    .max(64)
    .default('dragoman')
    .meta({ about: 'Name of this server in traces (`service.name`).' }),
})

export type TracingSettings = z.infer<typeof tracingSettingsSchema>

/** Returns the traces URL of a collector; adds the default path if `url` has none. */
export function traceAddress(url: string): string {
  const { pathname } = new URL(url)
  return pathname === '/' ? new URL('/v1/traces', url).href : url
}
