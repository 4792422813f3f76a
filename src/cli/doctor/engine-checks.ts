import { join } from 'node:path'
import type { Config } from '../../config/load.ts'
import { SETUP } from '../engines.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { EngineChoice } from './engine-trial.ts'
import type { DoctorEnvironment } from './environment.ts'
import { modelChecks } from './model-checks.ts'

type Engines = Config['embedded']['engines']
const KINDS = ['transcription', 'translation', 'synthesis', 'interpretation'] as const
type Choice = Engines[(typeof KINDS)[number]][number]
type Server = Extract<Choice, { url: string }>

/** Requests that servers of some kinds answer without work. */
const QUESTION: Readonly<Partial<Record<string, string>>> = {
  openai: '/v1/models',
  libretranslate: '/languages',
  piper: '/voices',
}

/** Checks the engines reached over HTTP: whether each responds, accepts the key and completes a real request. */
export async function serverChecks(engines: Engines, around: DoctorEnvironment): Promise<Check[]> {
  return await Promise.all(
    KINDS.flatMap(kind =>
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
  around: DoctorEnvironment,
): Promise<Check> {
  const { url } = server
  const fault = await statusFault(name, server, around)
  if (fault) return fault
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

/** Returns what is wrong with the server, as far as a request without work shows it. */
async function statusFault(
  name: string,
  { engine, url, apiKey }: Server,
  around: DoctorEnvironment,
): Promise<Check | undefined> {
  const question = QUESTION[engine]
  if (question === undefined) return undefined
  // LibreTranslate takes its key in the body and lists its languages without one.
  const key = engine === 'libretranslate' ? undefined : apiKey
  const status = await around.statusOf(url + question, key)
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
  return undefined
}

function languagesOf(server: Server): string {
  const named = 'voices' in server ? server.voices.flatMap(({ languages }) => languages) : server.languages
  return named === undefined ? 'all its languages' : [...new Set(named)].join(' ')
}

/** Checks the engines of the embedded service; none if another service is configured. */
export async function engineChecks(config: Config, around: DoctorEnvironment): Promise<Check[]> {
  if (config.service.url !== undefined) return []
  const { pocketsphinx, apertium, espeak, flite } = config.embedded.engines
  const installed = await Promise.all([
    recognition(pocketsphinx, around),
    translation(apertium, around),
    voices(espeak, around),
    mp3(around),
  ])
  return [
    ...installed,
    ...(await moreVoices(flite, around)),
    ...(await serverChecks(config.embedded.engines, around)),
    ...(await modelChecks(config.embedded.engines, around)),
  ]
}

/** PocketSphinx: two libraries and a folder of models. */
export async function recognition(
  engine: Engines['pocketsphinx'],
  around: DoctorEnvironment,
): Promise<Check> {
  const name = 'speech recognition'
  if (!engine.enabled) return off(name, 'pocketsphinx')
  for (const library of [engine.library, engine.base]) {
    const reason = await around.loadLibrary(library)
    if (reason !== undefined)
      return fail(
        name,
        `${library} cannot be loaded: ${reason}`,
        install('libpocketsphinx3 pocketsphinx-en-us'),
      )
  }
  for (const part of ['en-us/mdef', 'en-us.lm.bin', 'cmudict-en-us.dict'])
    if (!(await around.exists(join(engine.models, part))))
      return fail(name, `no ${part} in ${engine.models}`, install('pocketsphinx-en-us'))
  return ok(name, `PocketSphinx, models in ${engine.models}`)
}

/** Apertium: a folder of modes, one per direction. */
export async function translation(engine: Engines['apertium'], around: DoctorEnvironment): Promise<Check> {
  const name = 'translation'
  if (!engine.enabled) return off(name, 'apertium')
  const files = await around.list(engine.modes)
  const modes = files.filter(file => /^[a-z]{2,3}-[a-z]{2,3}\.mode$/.test(file))
  if (modes.length === 0)
    return fail(name, `no modes in ${engine.modes}`, install('apertium apertium-eng-spa'))
  const directions = modes.map(file => file.slice(0, -'.mode'.length)).sort()
  return ok(name, `Apertium, ${directions.length} directions: ${directions.slice(0, 8).join(' ')}`)
}

/** eSpeak NG: a program. */
export async function voices(engine: Engines['espeak'], around: DoctorEnvironment): Promise<Check> {
  const name = 'voices'
  if (!engine.enabled) return off(name, 'espeak')
  const answer = await around.ask(engine.command, ['--version'])
  if (answer === undefined) return fail(name, `${engine.command} cannot be run`, install('espeak-ng'))
  return ok(name, answer.split('  ')[0] ?? answer)
}

/** flite: an optional program. */
export async function moreVoices(engine: Engines['flite'], around: DoctorEnvironment): Promise<Check[]> {
  const answer = engine.enabled ? await around.ask(engine.command, ['-lv']) : undefined
  if (answer === undefined) return []
  return [ok('English voices', `flite, ${answer.replace(/^Voices available:\s*/, '').trim()}`)]
}

async function mp3(around: DoctorEnvironment): Promise<Check> {
  const reason = await around.loadLibrary('libmpg123.so.0')
  if (reason === undefined) return ok('mp3 decoder', 'libmpg123')
  return warn('mp3 decoder', 'WebAssembly, which needs twice the CPU time', install('libmpg123-0'))
}

function off(name: string, engine: string): Check {
  return warn(name, `${engine} is disabled`, `set embedded.engines.${engine}.enabled to true, or service.url`)
}

function install(packages: string): string {
  return `${SETUP}, which is sudo apt-get install --no-install-recommends ${packages}\nor set service.url to a service of yours`
}
