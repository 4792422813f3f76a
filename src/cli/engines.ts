import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Logger, noopLogger } from '../common/log.ts'
import { CommandError } from './errors.ts'
import { labeledLine, shortened, startedAs, type TerminalText } from './terminal.ts'

/** Shipped with the package; requires only Node. */
const SCRIPT = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url))

/** The setup command, in a checkout or an installed package. */
export const SETUP = `${startedAs()} setup`

/**
 * `dragoman setup`: installs the system packages of the engines. Throws `CommandError` if required ones are still
 * missing.
 */
export async function setUp(): Promise<void> {
  const child = spawn(process.execPath, [SCRIPT, '--engines'], { stdio: 'inherit' })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0) throw new CommandError('some engines are not installed; see the list above')
}

/** The used part of the embedded service’s `GET /health`. */
const healthSchema = z.object({
  engines: z.object({
    transcription: z.array(z.string()),
    translation: z.array(z.string()),
    synthesis: z.array(z.string()),
    interpretation: z.array(z.string()).default([]),
  }),
  understood: z.array(z.string()).default([]),
  spoken: z.array(z.string()).default([]),
  missing: z.array(z.object({ engine: z.string(), reason: z.string() })).default([]),
})
type Health = z.infer<typeof healthSchema>
type Engines = z.input<typeof healthSchema>['engines']

const PATIENCE_MS = 3_000

/** Describes the engines of the embedded service at `url`, for the start of `serve`. Empty if it does not answer. */
export async function embeddedEngines(url: string): Promise<TerminalText[]> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const health = healthSchema.safeParse(await response.json())
    return health.success ? engineLines(health.data.engines, health.data) : []
  } catch {
    return []
  }
}

/** Describes the engines: names, what is missing, the languages understood and spoken, and how to get better ones. */
export function engineLines(
  engines: Engines,
  { understood = [], spoken = [], missing: absent = [] }: Partial<Omit<Health, 'engines'>> = {},
): TerminalText[] {
  const { transcription, translation, synthesis, interpretation = [] } = engines
  const speech = [
    ...(understood.length === 0
      ? []
      : [labeledLine('', `speech understood in ${shortened(understood, SHOWN)}`)]),
    ...(spoken.length === 0 ? [] : [labeledLine('', `spoken in ${shortened(spoken, SHOWN)}`)]),
    ...absent.map(({ reason }) => warning(labeledLine('', fitting(`missing: ${reason}`)))),
  ]
  const missing = [
    ...(transcription.length === 0 ? ['recognizes speech'] : []),
    ...(translation.length === 0 ? ['translates'] : []),
    ...(synthesis.length === 0 ? ['speaks'] : []),
  ]
  if (missing.length > 0 && interpretation.length > 0)
    return [labeledLine('engines', Array.from(new Set(interpretation)).join(', ')), ...speech]
  if (missing.length > 0) {
    return [
      warning(labeledLine('engines', `no engine installed that ${missing.join(', ')}`)),
      warning(labeledLine('', `calls hear original voices; install: ${SETUP}`)),
      ...speech,
    ]
  }
  const names = [transcription, translation, synthesis].map(each => [...new Set(each)].join(', '))
  return [
    labeledLine('engines', [...interpretation, names.join(' → ')].join(', else ')),
    ...speech,
    ...(transcription.every(name => name === 'pocketsphinx')
      ? [labeledLine('', `English only, gist quality; better: ${startedAs()} models add en es`)]
      : []),
  ]
}

/** Letters of a value that fit into a line of 80 columns. */
const MOST_LETTERS = 67

function fitting(text: string): string {
  return text.length <= MOST_LETTERS ? text : `${text.slice(0, MOST_LETTERS - 1)}…`
}

/** Languages that fit into a line of 80 columns. */
const SHOWN = 5

function warning(text: string): TerminalText {
  return { text, color: 'yellow' }
}

/** The fields of the embedded service's log lines about engines. */
interface EngineFields {
  readonly kind?: unknown
  readonly engine?: unknown
  readonly reason?: unknown
  readonly instead?: unknown
}

/**
 * A logger for the embedded service that collects what users need to know about the result: which configured engine
 * failed and which engine replaced it. Keeps each warning once.
 */
export class EngineWarnings {
  readonly #warnings = new Set<string>()

  readonly log: Logger = {
    ...noopLogger,
    warn: (fields: EngineFields, message: string) => {
      // The reason starts with the name of the engine.
      if (message === 'engine failed')
        this.#warnings.add(`${fields.kind}: ${fields.reason}; ${fields.instead} was used instead`)
      if (message === 'engine over budget')
        this.#warnings.add(
          `${fields.kind}: the budget of ${fields.engine} is used up; the next engine is used`,
        )
      if (message === 'engine not available') this.#warnings.add(`${fields.kind}: ${fields.reason}`)
    },
  }

  get all(): readonly string[] {
    return [...this.#warnings]
  }
}
