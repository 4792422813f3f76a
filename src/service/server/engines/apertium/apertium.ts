import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import type { TextTranslator } from '../engine.ts'
import { EngineError } from '../engine.ts'
import type { ApertiumOptions } from '../engine-settings.ts'
import { languageRow } from '../languages.ts'
import { edited, sentences } from '../text-normalization.ts'
import { ApertiumRoutes, installedModes, readMode } from './modes.ts'
import { ApertiumPipeline } from './pipeline.ts'

/** Apertium: offline, rule-based, one persistent pipeline per direction, directly or through a third language. */
export class Apertium implements TextTranslator {
  readonly name = 'apertium'
  readonly #routes: ApertiumRoutes
  readonly #options: ApertiumOptions
  readonly #clock: Clock
  readonly #pipelines = new Map<string, Promise<ApertiumPipeline>>()

  private constructor(modes: readonly string[], options: ApertiumOptions, clock: Clock) {
    this.#routes = new ApertiumRoutes(modes)
    this.#options = options
    this.#clock = clock
  }

  /** Detects the installed modes; rejects with an `EngineError` if no mode is installed. */
  static async create(options: ApertiumOptions, clock: Clock): Promise<Apertium> {
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
      const { modes, timeoutMs, maxWaiting } = this.#options
      pipeline = readMode(modes, mode).then(
        command => new ApertiumPipeline(command, { clock: this.#clock, timeoutMs, maxWaiting }),
      )
      pipeline.catch(() => this.#pipelines.delete(mode))
      this.#pipelines.set(mode, pipeline)
    }
    return pipeline
  }
}
