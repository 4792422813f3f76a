import type { Config } from '../../config/load.ts'
import { type Check, fail, ok } from './check.ts'
import type { EngineChoice } from './engine-trial.ts'
import type { Surroundings } from './environment.ts'

type Engines = Config['embedded']['engines']
type Choice = Engines['transcription'][number] | Engines['translation'][number] | Engines['synthesis'][number]
type Server = Extract<Choice, { url: string }>

/** Requests that a server of each kind answers without work. */
const QUESTION = { openai: '/v1/models', libretranslate: '/languages', piper: '/voices' } as const

/** Checks the engines reached over HTTP: whether each responds, accepts the key and completes a real request. */
export async function serverChecks(engines: Engines, around: Surroundings): Promise<Check[]> {
  const kinds = ['transcription', 'translation', 'synthesis'] as const
  return await Promise.all(
    kinds.flatMap(kind =>
      (engines[kind] as readonly Choice[]).flatMap((choice, index) =>
        'url' in choice
          ? [
              serverCheck(
                `${kind} ${index + 1}: ${choice.engine}`,
                choice,
                { kind, choice } as EngineChoice,
                around,
              ),
            ]
          : [],
      ),
    ),
  )
}

async function serverCheck(
  name: string,
  server: Server,
  engine: EngineChoice,
  around: Surroundings,
): Promise<Check> {
  const { url, apiKey } = server
  // LibreTranslate takes its key in the body and lists its languages without one.
  const key = server.engine === 'libretranslate' ? undefined : apiKey
  const status = await around.statusOf(url + QUESTION[server.engine], key)
  if (status === undefined)
    return fail(name, `nothing answers at ${url}`, 'check that it is running, and check its url')
  if (status === 401 || status === 403)
    return fail(
      name,
      `${url} answered ${status}`,
      apiKey === undefined ? 'set its apiKey' : 'check its apiKey',
    )
  if (status >= 500) return fail(name, `${url} answered ${status}`, 'see the log of the server')
  if (status >= 300 && status < 400)
    return fail(name, `${url} answered ${status}, a redirect`, 'set its url to the redirect target')
  const what = `${url}, for ${languagesOf(server)}`
  // Not all servers have that list, and a listed model can still reject requests: only a real request shows whether it
  // works.
  const trial = await around.tryEngine(engine)
  return trial.worked
    ? ok(name, `${what}: ${trial.what} in ${(trial.ms / 1000).toFixed(1)} s`)
    : fail(
        name,
        `${what}: ${trial.reason}`,
        'check its model and settings; until then the next engine is used',
      )
}

function languagesOf(server: Server): string {
  const named = 'voices' in server ? server.voices.flatMap(({ languages }) => languages) : server.languages
  return named === undefined ? 'all its languages' : [...new Set(named)].join(' ')
}
