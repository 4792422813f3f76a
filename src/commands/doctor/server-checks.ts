import type { Config } from '../../config.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { Surroundings } from './surroundings.ts'

type Engines = Config['embedded']['engines']
type Choice = Engines['transcription'][number] | Engines['translation'][number] | Engines['synthesis'][number]
type Server = Extract<Choice, { url: string }>

/** What a server of each kind answers without doing any work. */
const QUESTION = { openai: '/v1/models', libretranslate: '/languages', piper: '/voices' } as const

/** The engines that are reached by HTTP: whether each is there and takes the key. */
export async function serverChecks(engines: Engines, around: Surroundings): Promise<Check[]> {
  const kinds = ['transcription', 'translation', 'synthesis'] as const
  return await Promise.all(
    kinds.flatMap(kind =>
      (engines[kind] as readonly Choice[]).flatMap((choice, index) =>
        'url' in choice ? [serverCheck(`${kind} ${index + 1}: ${choice.engine}`, choice, around)] : [],
      ),
    ),
  )
}

async function serverCheck(name: string, server: Server, around: Surroundings): Promise<Check> {
  const { url, engine, apiKey } = server
  // LibreTranslate takes its key in the body, and tells its languages without.
  const key = engine === 'libretranslate' ? undefined : apiKey
  const status = await around.statusOf(url + QUESTION[engine], key)
  if (status === undefined)
    return fail(name, `nothing answers at ${url}`, 'is it running, and is its url right?')
  if (status === 401 || status === 403)
    return fail(
      name,
      `${url} answered ${status}`,
      apiKey === undefined ? 'set its apiKey' : 'is its apiKey right?',
    )
  if (status >= 500) return fail(name, `${url} answered ${status}`, 'see the log of the server')
  if (status >= 300 && status < 400)
    return fail(name, `${url} answered ${status}, a redirect`, 'set its url to the address it redirects to')
  const what = `${url}, for ${languagesOf(server)}`
  // Not all servers have the list that is asked for; what matters is that one is there.
  return status < 300
    ? ok(name, what)
    : warn(name, `${what}: answered ${status}`, 'it is there; try it by a call')
}

function languagesOf(server: Server): string {
  const named = 'voices' in server ? server.voices.flatMap(({ languages }) => languages) : server.languages
  return named === undefined ? 'all languages it has' : [...new Set(named)].join(' ')
}
