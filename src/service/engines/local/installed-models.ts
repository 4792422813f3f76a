/**
 * The models that `dragoman models add` has installed: `manifest.json` in their folder lists the complete ones, each in a
 * folder of its name. The manifest is replaced atomically after a model is complete, so what it lists can be used.
 */
import { readFile, stat } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { type LanguageId, primaryLanguage } from '../../../common/language.ts'
import { LANGUAGE_ROWS } from '../languages.ts'

/** Name of a model, and of its folder. */
const modelName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/)
/** A language of a model (`es`), or of one region (`es-mx`). */
const modelLanguage = z.string().regex(/^[a-z]{2,3}(-[a-z0-9]{2,3})?$/)
const bytes = z.int().min(0)

/** What a model does; the catalog and the manifest share it. */
export const modelShape = {
  name: modelName,
  /** `detection` finds pauses for recognizers. */
  kind: z.enum(['transcription', 'detection', 'translation', 'synthesis']),
  /** Of a translator: from, to. */
  languages: z.array(modelLanguage),
  /** A recognizer that shows text while a person speaks. */
  streaming: z.boolean().optional(),
  /** Speakers of a voice, in the order of their numbers. */
  voices: z.array(z.strictObject({ name: z.string().min(1), gender: z.enum(['M', 'F']) })).optional(),
  license: z.string().min(1),
  /** Memory that it needs when loaded. */
  memory: bytes,
}

const installedModel = z.strictObject({
  ...modelShape,
  installedAt: z.string(),
  /** SHA-256 of each download, and whether the catalog knew it or the first download defined it. */
  downloads: z.array(
    z.strictObject({ file: z.string(), sha256: z.string(), trust: z.enum(['catalog', 'first use']) }),
  ),
  /** Its files, by their path in its folder. */
  files: z.array(z.strictObject({ path: z.string(), bytes, sha256: z.string() })).min(1),
})
export type InstalledModel = z.infer<typeof installedModel>

const manifestSchema = z.strictObject({
  version: z.literal(1),
  /** Languages of the calls, for which models with more languages are used. */
  languages: z.array(modelLanguage),
  models: z.array(installedModel),
})
export type ModelManifest = z.infer<typeof manifestSchema>

export function manifestPath(folder: string): string {
  return join(resolve(folder), 'manifest.json')
}

/** Returns what is installed in `folder`; empty if nothing is. Rejects with an `Error` that names an unreadable manifest. */
export async function readManifest(folder: string): Promise<ModelManifest> {
  const path = manifestPath(folder)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { version: 1, languages: [], models: [] }
    throw error
  }
  try {
    return manifestSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${path} is not a list of models: remove it, and install them again`, { cause })
  }
}

/** An entry of an engine list for an installed model. */
export interface ModelEntry {
  readonly kind: 'transcription' | 'translation' | 'synthesis'
  /** Names of its models. */
  readonly models: readonly string[]
  /** As the settings would have it, without defaults. */
  readonly settings: { readonly engine: string } & Readonly<Record<string, unknown>>
  /** Why it is not used. */
  readonly refused?: string | undefined
}

/** Memory that the bridge and the rest of the machine keep (bytes). */
const SPARE_MEMORY = 512 * 1024 * 1024
/** Threads of a recognizer: more of them hardly help. */
const MOST_THREADS = 4

/**
 * Returns the entries for the models in `folder`, in the order in which they are preferred. A model whose files are
 * incomplete, or that does not fit into `memory` (bytes) with those before it, is refused with the reason. Rejects if the
 * manifest cannot be read.
 */
export async function modelEntries(
  folder: string,
  memory = machineMemory(),
  cores = availableParallelism(),
): Promise<ModelEntry[]> {
  const { languages: wanted, models } = await readManifest(folder)
  const found = new Map<string, string | undefined>()
  await Promise.all(models.map(async model => found.set(model.name, await problemOf(folder, model))))
  const of = (kind: InstalledModel['kind']) => models.filter(model => model.kind === kind)
  const pathOf = ({ name }: InstalledModel) => join(resolve(folder), name)
  const budget = new MemoryBudget(memory)
  const entry = (
    kind: ModelEntry['kind'],
    used: readonly InstalledModel[],
    settings: ModelEntry['settings'],
  ): ModelEntry => ({
    kind,
    models: used.map(({ name }) => name),
    settings,
    refused: used.map(({ name }) => found.get(name)).find(Boolean) ?? budget.refusal(used),
  })

  const [detector] = of('detection').filter(({ name }) => found.get(name) === undefined)
  const vad = detector && join(pathOf(detector), detector.files[0]!.path)
  const threads = Math.max(1, Math.min(MOST_THREADS, Math.floor(cores / 2)))
  const recognizers = of('transcription')
    .toSorted((a, b) => Number(b.streaming ?? false) - Number(a.streaming ?? false))
    .map(model => ({ model, languages: rowsOf(model.languages).filter(id => covers(wanted, id)) }))
    .filter(({ languages }) => languages.length > 0)
    .map(({ model, languages }) =>
      entry('transcription', [model], { engine: 'sherpa', model: pathOf(model), languages, threads, vad }),
    )
  const translators = of('translation').filter(({ name }) => found.get(name) === undefined)
  const directions = translators.map(model => {
    const [from, to] = model.languages
    return { from, to, model: pathOf(model) }
  })
  const isDamaged = ({ name }: InstalledModel) => found.get(name) !== undefined
  const damaged = [
    ...of('detection')
      .filter(isDamaged)
      .map(model => entry('transcription', [model], { engine: 'sherpa' })),
    ...of('translation')
      .filter(isDamaged)
      .map(model => entry('translation', [model], { engine: 'firefox' })),
  ]
  return [
    ...recognizers,
    ...damaged,
    ...(directions.length > 0 ? [entry('translation', translators, { engine: 'firefox', directions })] : []),
    ...voiceEntries(of('synthesis'), (model, settings) =>
      entry('synthesis', [model], { engine: 'sherpa', model: pathOf(model), ...settings }),
    ),
  ]
}

/** Memory of this machine, or of the container (bytes). */
export function machineMemory(): number {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
}

/** Returns why models that need `bytes` do not fit into `memory`; undefined if they fit. */
export function memoryProblem(bytes: number, memory: number, used = 0): string | undefined {
  const left = memory - SPARE_MEMORY - used
  if (bytes <= left) return undefined
  return `needs ${gigabytes(bytes)} of memory; ${gigabytes(Math.max(0, left))} of ${gigabytes(memory)} are left for models`
}

/** A voice of a region serves that region; regions without a voice of their own share all voices of the language. */
function voiceEntries(
  models: readonly InstalledModel[],
  entry: (model: InstalledModel, settings: object) => ModelEntry,
): ModelEntry[] {
  return models.flatMap(model => {
    const languages = rowsOf(model.languages.map(primaryLanguage)).filter(id => {
      const exact = models.filter(other => other.languages.includes(id))
      return exact.length === 0 || exact.includes(model)
    })
    const { voices = [] } = model
    if (languages.length === 0 || voices.length === 0) return []
    if (voices.length === 1) return [entry(model, { languages, gender: voices[0]!.gender })]
    const several = voices.map(({ name, gender }, speaker) => ({ voice: name, languages, gender, speaker }))
    return [entry(model, { voices: several })]
  })
}

function rowsOf(languages: readonly string[]): LanguageId[] {
  return LANGUAGE_ROWS.map(({ id }) => id).filter(id => covers(languages, id))
}

function covers(languages: readonly string[], id: LanguageId): boolean {
  return languages.some(each => each === id || each === primaryLanguage(id))
}

/** Returns why a model cannot be used, by the presence and size of its files. */
async function problemOf(folder: string, { name, files }: InstalledModel): Promise<string | undefined> {
  for (const { path, bytes } of files) {
    const found = await stat(join(folder, name, path)).catch(() => undefined)
    if (found?.size !== bytes)
      return `${join(folder, name, path)} ${found ? 'is damaged' : 'is missing'}: install ${name} again`
  }
  return undefined
}

class MemoryBudget {
  readonly #memory: number
  #used = 0

  constructor(memory: number) {
    this.#memory = memory
  }

  /** Takes the memory of `models`, or returns why they do not fit. */
  refusal(models: readonly InstalledModel[]): string | undefined {
    const needed = models.reduce((sum, { memory }) => sum + memory, 0)
    const problem = memoryProblem(needed, this.#memory, this.#used)
    if (problem === undefined) this.#used += needed
    return problem
  }
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}
