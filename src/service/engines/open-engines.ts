import { readFile } from 'node:fs/promises'
import type { Clock } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { EngineContext, Ports, ProviderKey } from './definition.ts'
import { EngineError, type Synthesizer } from './engine.ts'
import { EngineSet } from './engine-set.ts'
import {
  type Served,
  serveInterpreters,
  serveRecognizers,
  serveSynthesizers,
  serveTranslators,
} from './serve.ts'
import {
  type EngineEntry,
  type EngineSettings,
  engineNamed,
  type InstalledName,
  installedNames,
  isInstalled,
} from './settings.ts'
import type { ThreadUse } from './thread-budget.ts'
import { type AbsentEngine, reportAbsent } from './usage/absent-engines.ts'
import type { EngineUsage } from './usage/engine-usage.ts'
import { Phrasebook } from './vocabulary/phrasebook.ts'
import { Vocabulary, type VocabularySettings } from './vocabulary/vocabulary.ts'
import { withModels } from './with-models.ts'

/** The settings of a service that its engines need. */
export interface OpenSettings {
  readonly engines: EngineSettings
  /** Folder of the installed models, whose engines follow those of the settings. */
  readonly models?: string | undefined
  /** JSON file with the user's phrases. */
  readonly phrasebook?: string | undefined
  readonly vocabulary: VocabularySettings
  /** Voice ids by language. */
  readonly voices: Readonly<Record<LanguageId, string>>
  readonly maxSessions: number
}

/**
 * Creates the engines of the settings in their order, then those of installed models, then the installed programs. An unavailable engine is skipped and
 * logged, never an error. The caller closes the set.
 */
export async function openEngines(
  { engines: chosen, models, phrasebook, vocabulary: words, voices, maxSessions }: OpenSettings,
  threads: ThreadUse,
  around: {
    readonly clock: Clock
    readonly wallClock: WallClock
    readonly log: Logger
    readonly usage: EngineUsage
  },
): Promise<EngineSet> {
  const { clock, wallClock, log, usage } = around
  const { engines, refused } = await withModels(chosen, models)
  for (const { kind, settings, models, refused: why } of refused) {
    const reason = [models.join(', '), why].filter(Boolean).join(' ')
    usage.missing.push({ kind, engine: settings.engine, reason })
    log.warn({ engine: settings.engine, kind, reason }, 'engine not available')
  }
  const vocabulary = new Vocabulary(words)
  const phrases = await Phrasebook.load(phrasebook, vocabulary.phrases())
  const context = { clock, wallClock, vocabulary, maxSpeakers: maxSessions, threads }
  const make = <K extends keyof Ports>(kind: K) => new Making(kind, engines, context, usage).run(log)
  const [transcription, translation, synthesis, interpretation] = await Promise.all([
    make('transcription'),
    make('translation'),
    make('synthesis'),
    make('interpretation'),
  ])
  const serving = { vocabulary, phrases, usage, log }
  const speechToText = serveRecognizers(transcription.served, serving)
  const translators = serveTranslators(translation.served, serving)
  const synthesizers = serveSynthesizers(synthesis.served, serving)
  const interpreters = serveInterpreters(interpretation.served, serving)
  for (const [language, voiceId] of Object.entries(voices)) assertVoice(synthesizers, language, voiceId)
  reportAbsent('transcription', transcription.absent, speechToText, usage)
  reportAbsent('translation', translation.absent, translators, usage)
  reportAbsent('synthesis', synthesis.absent, synthesizers, usage)
  return new EngineSet({ speechToText, translators, synthesizers, interpreters, voices, usage })
}

/** The creation of the engines of one kind. */
class Making<K extends keyof Ports> {
  readonly #kind: K
  readonly #settings: EngineSettings
  readonly #context: EngineContext
  readonly #usage: EngineUsage
  /** Each is created once, however often the settings name it. */
  readonly #installed = new Map<InstalledName, Promise<Ports[K]>>()

  constructor(kind: K, settings: EngineSettings, context: EngineContext, usage: EngineUsage) {
    this.#kind = kind
    this.#settings = settings
    this.#context = context
    this.#usage = usage
  }

  /** Waits until the engines are created, and logs those that are not available. */
  async run(log: Logger): Promise<{ served: Served<Ports[K]>[]; absent: AbsentEngine[] }> {
    const listed: readonly EngineEntry[] = this.#settings[this.#kind]
    const rest = installedNames(this.#kind).filter(name => listed.every(({ engine }) => engine !== name))
    const entries = [...listed, ...rest.map((engine): EngineEntry => ({ engine }))]
    const settled = await Promise.allSettled(entries.map(entry => this.#create(entry)))
    const served: Served<Ports[K]>[] = []
    const absent: AbsentEngine[] = []
    const told = new Set<unknown>()
    for (const [index, result] of settled.entries()) {
      const { engine, languages, voices, price, budget } = entries[index]!
      if (result.status === 'fulfilled') {
        const { value } = result
        if (!value) continue
        const meter = this.#usage.meter(this.#kind, value.name, { price, budget })
        served.push({ engine: value, meter, languages: isInstalled(engine) ? languages : undefined })
        continue
      }
      const { reason: error } = result
      if (!(error instanceof EngineError)) throw error
      if (index < listed.length) {
        this.#usage.missing.push({ kind: this.#kind, engine, reason: error.message })
        absent.push({
          engine,
          languages: languages ?? voices?.flatMap(voice => voice.languages ?? []),
          position: served.length,
        })
      }
      if (told.has(error)) continue
      told.add(error)
      log.warn({ engine: error.engine, kind: error.kind, reason: error.message }, 'engine not available')
    }
    return { served, absent }
  }

  /** Undefined for a disabled one. */
  async #create(entry: EngineEntry): Promise<Ports[K] | undefined> {
    const { engine: name } = entry
    const engine = engineNamed(this.#kind, name)
    if (!isInstalled(name)) {
      assertKey(this.#kind, entry, engine.key)
      return engine.create(await withKey(entry), this.#context)
    }
    const settings = this.#settings[name]
    if (!settings.enabled) return undefined
    const made = this.#installed.get(name) ?? Promise.resolve(engine.create(settings, this.#context))
    this.#installed.set(name, made)
    return made
  }
}

/** Throws an `EngineError` for an engine at its provider without a key, which would only fail in calls. */
function assertKey(
  kind: keyof Ports,
  { engine, url, apiKey, apiKeyFile }: EngineEntry,
  key?: ProviderKey,
): void {
  if (!key || apiKey !== undefined || apiKeyFile !== undefined) return
  if (url !== undefined && !key.hosts.test(URL.parse(url)?.hostname ?? '')) return
  throw new EngineError(kind, engine, `has no API key: set apiKey or ${key.variable}`)
}

/** Returns the entry with the key of its file. Rejects with an `Error` that names the file. */
async function withKey({ apiKeyFile, ...entry }: EngineEntry): Promise<EngineEntry> {
  if (apiKeyFile === undefined) return entry
  const apiKey = (await readFile(apiKeyFile, 'utf8')).trim()
  if (apiKey === '') throw new RangeError(`apiKeyFile ${apiKeyFile} is empty, expected an API key`)
  return { ...entry, apiKey }
}

function assertVoice(synthesizers: readonly Synthesizer[], language: LanguageId, voiceId: string): void {
  const voices = synthesizers.flatMap(engine => engine.voices).filter(entry => entry.languageId === language)
  if (synthesizers.length === 0 || voices.some(entry => entry.voiceId === voiceId)) return
  const known = voices.map(entry => entry.voiceId).join(', ')
  throw new RangeError(`voices.${language} is "${voiceId}", allowed: ${known || 'none'}`)
}
