import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { enabledField, installedEngine, pauseField, type SettingsOf } from '../../definition.ts'
import type { HearingOptions, SpeechStream, SpeechToText, TranscriptSink } from '../../engine.ts'
import { EngineError } from '../../engine.ts'
import type { ThreadUse } from '../../thread-budget.ts'
import { DecoderPool, SphinxDecoder } from './decoder.ts'
import { type Grammar, grammarsSchema, loadGrammars } from './grammar.ts'
import { loadSphinx } from './library.ts'
import { SphinxStream } from './stream.ts'

const settings = z.strictObject({
  enabled: enabledField,
  models: z
    .string()
    .default('/usr/share/pocketsphinx/model/en-us')
    .meta({ about: 'Folder of the English models.' }),
  pauseMs: pauseField(100, 2_000, 300),
  grammars: grammarsSchema.meta({
    about:
      'Closed vocabularies by name. Only the phrases of the chosen one are recognized, far more accurately.',
  }),
  grammar: z.string().optional().meta({ about: 'Default grammar for connections that name none.' }),
})
type Settings = SettingsOf<typeof settings>

export const pocketsphinx = installedEngine({
  kind: 'transcription',
  name: 'pocketsphinx',
  settings,
  create: (choice, { maxSpeakers, threads, clock }) =>
    PocketSphinx.create({ ...choice, decoders: maxSpeakers, threads }, clock),
  async examine({ models }) {
    try {
      await loadSphinx()
    } catch (error) {
      const packages = 'libpocketsphinx3 pocketsphinx-en-us'
      return { missing: error instanceof Error ? error.message : String(error), packages }
    }
    for (const part of ['en-us/mdef', 'en-us.lm.bin', 'cmudict-en-us.dict'])
      if (!existsSync(join(models, part)))
        return { missing: `no ${part} in ${models}`, packages: 'pocketsphinx-en-us' }
    return { found: `PocketSphinx, models in ${models}` }
  },
})

export interface PocketSphinxOptions extends Settings {
  /** Maximum number of simultaneous speakers. */
  readonly decoders: number
  /** Tracks the work of the decoders on their threads. */
  readonly threads?: ThreadUse | undefined
}

/** Search effort: more is slower, and slightly more accurate in noise. */
const MAX_HMM_PER_FRAME = 3_000

/** PocketSphinx: offline, English only, one decoder per speaker on the thread pool. */
export class PocketSphinx implements SpeechToText {
  readonly name = 'pocketsphinx'
  readonly languages: readonly LanguageId[] = ['en-us', 'en-gb']
  readonly grammars: readonly string[]
  readonly #pool: DecoderPool
  readonly #known: ReadonlyMap<string, Grammar>
  readonly #options: PocketSphinxOptions
  readonly #clock: Clock

  private constructor(
    pool: DecoderPool,
    grammars: ReadonlyMap<string, Grammar>,
    options: PocketSphinxOptions,
    clock: Clock,
  ) {
    this.grammars = [...grammars.keys()]
    this.#known = grammars
    this.#pool = pool
    this.#options = options
    this.#clock = clock
  }

  /**
   * Loads the library and creates the first decoder; rejects with an `EngineError` if it is not installed, with a
   * `RangeError` if a grammar is invalid.
   */
  static async create(options: PocketSphinxOptions, clock: Clock): Promise<PocketSphinx> {
    const grammars = await loadGrammars(options.grammars)
    if (options.grammar !== undefined && !grammars.has(options.grammar))
      throw new RangeError(
        `grammar is ${options.grammar}, allowed: ${[...grammars.keys()].join(', ') || 'none'}`,
      )
    const library = await loadSphinx(options.threads)
    await assertModels(options.models)
    const args = argumentsFor(options)
    const pool = new DecoderPool(options.decoders, () => SphinxDecoder.create(library, args))
    await pool.release(await pool.acquire())
    await assertGrammars(pool, grammars.values())
    return new PocketSphinx(pool, grammars, options, clock)
  }

  /** Number of idle decoders. */
  get idle(): number {
    return this.#pool.idle
  }

  async open(
    language: LanguageId,
    sink: TranscriptSink,
    { grammar = this.#options.grammar }: HearingOptions = {},
  ): Promise<SpeechStream> {
    if (!this.languages.includes(language))
      throw new RangeError(`${this.name} recognizes ${this.languages.join(', ')}, not ${language}`)
    if (grammar !== undefined && !this.#known.has(grammar))
      throw new RangeError(
        `${this.name} has the grammars ${this.grammars.join(', ') || '(none)'}, not ${grammar}`,
      )
    const decoder = await this.#pool.acquire()
    try {
      decoder.listenFor(grammar === undefined ? undefined : this.#known.get(grammar))
      decoder.begin()
    } catch (error) {
      this.#pool.discard(decoder)
      throw error
    }
    return new SphinxStream(decoder, sink, {
      clock: this.#clock,
      release: async broken => (broken ? this.#pool.discard(decoder) : this.#pool.release(decoder)),
    })
  }

  async close(): Promise<void> {
    this.#pool.close()
  }
}

/** Validates grammars in advance, because the library only reports that one is invalid. */
async function assertGrammars(pool: DecoderPool, grammars: Iterable<Grammar>): Promise<void> {
  const decoder = await pool.acquire()
  try {
    for (const grammar of grammars)
      try {
        decoder.listenFor(grammar)
      } catch (cause) {
        const allowed = 'JSGF 1.0, or phrases, with words of the dictionary'
        throw new RangeError(`grammars.${grammar.name} is invalid, allowed: ${allowed}`, { cause })
      }
  } finally {
    await pool.release(decoder)
  }
}

/**
 * Skipping the second and third pass makes the final text available 200 ms earlier, and was not less accurate in
 * measurements.
 */
function argumentsFor({ models, pauseMs }: Settings): Record<string, string> {
  return {
    '-hmm': join(models, 'en-us'),
    '-lm': join(models, 'en-us.lm.bin'),
    '-dict': join(models, 'cmudict-en-us.dict'),
    '-fwdflat': 'no',
    '-bestpath': 'no',
    '-maxhmmpf': String(MAX_HMM_PER_FRAME),
    // In frames of 10 ms.
    '-vad_postspeech': String(Math.round(pauseMs / 10)),
  }
}

/** Reports the missing file, where the library would only write to its log and return null. */
async function assertModels(folder: string): Promise<void> {
  const first = join(folder, 'en-us', 'feat.params')
  try {
    await readFile(first)
  } catch (cause) {
    throw new EngineError('transcription', 'pocketsphinx', `no model at ${folder}`, { cause })
  }
}
