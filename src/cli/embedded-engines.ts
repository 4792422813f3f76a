import { z } from 'zod'
import { SETUP } from './setup.ts'
import type { Text } from './terminal.ts'
import { listed } from './whereabouts.ts'

/** The used part of the embedded service’s `GET /health`. */
const healthSchema = z.object({
  engines: z.object({
    transcription: z.array(z.string()),
    translation: z.array(z.string()),
    synthesis: z.array(z.string()),
  }),
})
type Engines = z.infer<typeof healthSchema>['engines']

const PATIENCE_MS = 3_000

/** Describes the engines of the embedded service at `url`, for the start of `serve`. Empty if it does not answer. */
export async function embeddedEngines(url: string): Promise<Text[]> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const health = healthSchema.safeParse(await response.json())
    return health.success ? engineLines(health.data.engines) : []
  } catch {
    return []
  }
}

/** Describes the engines: names, what is missing, and the quality of those installed by default. */
export function engineLines(engines: Engines): Text[] {
  const { transcription, translation, synthesis } = engines
  const missing = [
    ...(transcription.length === 0 ? ['recognizes speech'] : []),
    ...(translation.length === 0 ? ['translates'] : []),
    ...(synthesis.length === 0 ? ['speaks'] : []),
  ]
  if (missing.length > 0) {
    return [
      warning(listed('engines', `no engine installed that ${missing.join(', ')}`)),
      warning(listed('', `calls hear original voices; install: ${SETUP}`)),
    ]
  }
  const names = [transcription, translation, synthesis].map(each => [...new Set(each)].join(', '))
  return [
    listed('engines', names.join(' → ')),
    ...(transcription.every(name => name === 'pocketsphinx')
      ? [listed('', 'English recognition only, gist quality; better engines: docs/service/engines.md')]
      : []),
  ]
}

function warning(text: string): Text {
  return { text, colour: 'yellow' }
}
