import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { enabledField, installedEngine, type SettingsOf } from '../../definition.ts'
import { EngineError, type TextTranslator } from '../../engine.ts'
import { LANGUAGE_ROWS, languageRow } from '../../languages.ts'
import { edited, sentences } from '../../text-normalization.ts'
import { ApertiumPipeline } from './pipeline.ts'

const settings = z.strictObject({
  enabled: enabledField,
  modes: z
    .string()
    .default('/usr/share/apertium/modes')
    .meta({ about: 'Folder of the translation modes (language pairs).' }),
})
type Settings = SettingsOf<typeof settings>

export const apertium = installedEngine({
  kind: 'translation',
  name: 'apertium',
  settings,
  create: (choice, { clock }) => Apertium.create(choice, clock),
  async examine({ modes: folder }) {
    const modes = await installedModes(folder)
    const directions = modes.filter(mode => /^[a-z]{2,3}-[a-z]{2,3}$/.test(mode)).sort()
    if (directions.length === 0)
      return { missing: `no modes in ${folder}`, packages: 'apertium apertium-eng-spa' }
    return { found: `Apertium, ${directions.length} directions: ${directions.slice(0, 8).join(' ')}` }
  },
})

/** Time for one translation (ms), and maximum number of texts that wait for a pipeline. */
const TIMEOUT_MS = 2_000
const MOST_WAITING = 200

/** Apertium: offline, rule-based, one persistent pipeline per direction, directly or through a third language. */
export class Apertium implements TextTranslator {
  readonly name = 'apertium'
  readonly #routes: ApertiumRoutes
  readonly #options: Settings
  readonly #clock: Clock
  readonly #pipelines = new Map<string, Promise<ApertiumPipeline>>()

  private constructor(modes: readonly string[], options: Settings, clock: Clock) {
    this.#routes = new ApertiumRoutes(modes)
    this.#options = options
    this.#clock = clock
  }

  /** Detects the installed modes; rejects with an `EngineError` if no mode is installed. */
  static async create(options: Settings, clock: Clock): Promise<Apertium> {
    const modes = await installedModes(options.modes)
    if (modes.length === 0)
      throw new EngineError('translation', 'apertium', `no translation mode at ${options.modes}`)
    return new Apertium(modes, options, clock)
  }

  /** Process groups of the running pipelines. */
  async pids(): Promise<number[]> {
    const pipelines = await Promise.all(this.#pipelines.values())
    return pipelines.flatMap(pipeline => pipeline.pid ?? [])
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return this.#routes.targets(from)
  }

  /** Starts the pipelines of the pair: the first answer of each takes over 100 ms. */
  prepare(from: LanguageId, to: LanguageId): void {
    for (const mode of this.#routes.route(from, to) ?? [])
      void this.#pipeline(mode)
        .then(pipeline => pipeline.prepare())
        .catch(() => {})
  }

  async translate(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    const route = this.#routes.route(from, to)
    if (!route)
      throw new RangeError(`${this.name} translates ${from} into ${this.targets(from).join(', ')}, not ${to}`)
    const pair = [languageRow(from)?.written, languageRow(to)?.written] as const
    const parts = sentences(text.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    const translated = await Promise.all(
      (parts.length > 0 ? parts : ['']).map(part => this.#sentence(part, pair, route)),
    )
    return translated.join(' ')
  }

  /** Translates one sentence: a word restored afterwards, like "please", must not move to the next sentence. */
  async #sentence(
    text: string,
    [source, target]: readonly [string | undefined, string | undefined],
    route: readonly string[],
  ): Promise<string> {
    const { before, after } = edited(text, source, target)
    let line = before
    for (const mode of route) line = await (await this.#pipeline(mode)).translate(line)
    return after(line)
  }

  async close(): Promise<void> {
    const pipelines = await Promise.allSettled(this.#pipelines.values())
    for (const pipeline of pipelines) if (pipeline.status === 'fulfilled') pipeline.value.close()
  }

  #pipeline(mode: string): Promise<ApertiumPipeline> {
    let pipeline = this.#pipelines.get(mode)
    if (!pipeline) {
      const options = { clock: this.#clock, timeoutMs: TIMEOUT_MS, maxWaiting: MOST_WAITING }
      pipeline = readMode(this.#options.modes, mode).then(command => new ApertiumPipeline(command, options))
      pipeline.catch(() => this.#pipelines.delete(mode))
      this.#pipelines.set(mode, pipeline)
    }
    return pipeline
  }
}

/** Returns the translation modes installed in `folder`; empty if the folder does not exist. */
async function installedModes(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter(file => file.endsWith('.mode')).map(file => file.slice(0, -'.mode'.length))
}

/**
 * Returns the shell command of a mode, with all programs set to flush at NUL, so that it can serve several requests.
 */
async function readMode(folder: string, mode: string): Promise<string> {
  return flushing(await readFile(join(folder, `${mode}.mode`), 'utf8'))
}

/**
 * `-z` after each program's name makes it flush at NUL; `$1` is the option for unknown words (`-n`: unmarked), and `$2`
 * a tagger option that is not needed. The mode file quotes its paths, so the rest stays unchanged.
 */
export function flushing(pipeline: string): string {
  return pipeline
    .trim()
    .split('|')
    .map(stage => {
      const [program = '', ...rest] = stage.trim().replaceAll('$1', '-n').replaceAll('$2', '').split(/\s+/)
      return [program, '-z', ...rest].join(' ')
    })
    .join(' | ')
}

/** Source and target of each Apertium mode, in written languages. File names mix two- and three-letter codes. */
const MODES: readonly (readonly [mode: string, from: string, to: string])[] = [
  ['eng-spa', 'en', 'es'],
  ['spa-eng', 'es', 'en'],
  ['eng-cat', 'en', 'ca'],
  ['cat-eng', 'ca', 'en'],
  ['en-gl', 'en', 'gl'],
  ['gl-en', 'gl', 'en'],
  ['en-eo', 'en', 'eo'],
  ['eo-en', 'eo', 'en'],
  ['es-pt', 'es', 'pt'],
  ['pt-es', 'pt', 'es'],
  ['es-gl', 'es', 'gl'],
  ['gl-es', 'gl', 'es'],
  ['es-fr', 'es', 'fr'],
  ['fr-es', 'fr', 'es'],
  ['spa-cat', 'es', 'ca'],
  ['cat-spa', 'ca', 'es'],
  ['cat-ita', 'ca', 'it'],
  ['ita-cat', 'it', 'ca'],
  ['fra-cat', 'fr', 'ca'],
  ['cat-fra', 'ca', 'fr'],
  ['cat-por', 'ca', 'pt'],
  ['por-cat', 'pt', 'ca'],
]

/** A better last step for one region, if installed. */
const REGIONAL: Readonly<Record<string, Readonly<Record<LanguageId, string>>>> = {
  'spa-eng': { 'en-us': 'spa-eng_US' },
  'es-pt': { 'pt-br': 'es-pt_BR' },
}

/** Maximum number of modes in a chain: each step costs quality. */
const MAX_STEPS = 2

/** Finds the modes that translate one language into another: directly if possible, else through a third language. */
export class ApertiumRoutes {
  readonly #installed: ReadonlySet<string>

  constructor(installed: readonly string[]) {
    this.#installed = new Set(installed)
  }

  /** Returns the languages that `from` can be translated into. */
  targets(from: LanguageId): LanguageId[] {
    return LANGUAGE_ROWS.filter(row => this.route(from, row.id) !== undefined).map(row => row.id)
  }

  /** Returns the modes to run in order; undefined if there is no route or the language is the same. */
  route(from: LanguageId, to: LanguageId): readonly string[] | undefined {
    const source = languageRow(from)?.written
    const target = languageRow(to)?.written
    if (source === undefined || target === undefined || source === target) return undefined
    const modes = this.#search(source, target)
    return modes?.map((mode, index) => (index === modes.length - 1 ? this.#regional(mode, to) : mode))
  }

  #search(source: string, target: string): string[] | undefined {
    let ends = [{ at: source, modes: [] as string[] }]
    for (let step = 0; step < MAX_STEPS; step++) {
      ends = ends.flatMap(({ at, modes }) =>
        MODES.filter(([mode, from]) => from === at && this.#installed.has(mode)).map(([mode, , to]) => ({
          at: to,
          modes: [...modes, mode],
        })),
      )
      const found = ends.find(end => end.at === target)
      if (found) return found.modes
    }
    return undefined
  }

  #regional(mode: string, to: LanguageId): string {
    const better = REGIONAL[mode]?.[to]
    return better !== undefined && this.#installed.has(better) ? better : mode
  }
}
