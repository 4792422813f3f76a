import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { primaryLanguage } from '../../common/language.ts'
import { modelShape } from '../../service/engines/local/installed-models.ts'
import { CommandError } from '../errors.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const catalogFile = z.strictObject({
  /** The same file at several places, tried in order. Each names a version. */
  addresses: z.array(z.url({ protocol: /^https$/ })).min(1),
  /** Exact with a digest, else an estimate. */
  bytes: z.int().min(1),
  /** Absent until a maintainer has run `scripts/models-catalog.ts`. */
  sha256: sha256.optional(),
  /** Without it, the file is used as it is. The single folder at the top of an archive is dropped. */
  unpack: z.enum(['tar.bz2', 'gz']).optional(),
})
export type CatalogFile = z.infer<typeof catalogFile>

const catalogModel = z.strictObject({
  ...modelShape,
  /** Page that describes it. */
  source: z.url(),
  /** Size of its files when unpacked. */
  unpacked: z.int().min(1),
  files: z.array(catalogFile).min(1),
})
export type CatalogModel = z.infer<typeof catalogModel>

const catalogSchema = z.strictObject({ version: z.literal(1), models: z.array(catalogModel) })

/** Returns the models that can be installed, the preferred one of a purpose first. */
export function readCatalog(): readonly CatalogModel[] {
  return catalogSchema.parse(JSON.parse(readFileSync(new URL('./catalog.json', import.meta.url), 'utf8')))
    .models
}

/** Reads the catalog of a mirror. Throws a `CommandError` if it is invalid. */
export function parseCatalog(text: string): readonly CatalogModel[] {
  try {
    return catalogSchema.parse(JSON.parse(text)).models
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message
    throw new CommandError(`the catalog.json of the mirror is invalid: ${reason}`, { cause })
  }
}

/** Name of a file at a mirror, and while it is downloaded. */
export function fileName({ addresses }: CatalogFile): string {
  return new URL(addresses[0]!).pathname.split('/').at(-1)!
}

export interface Selection {
  readonly models: readonly CatalogModel[]
  /** Languages for which they are used, without regions. */
  readonly languages: readonly string[]
  /** What is missing for a language, for people. */
  readonly notes: readonly string[]
}

/**
 * Selects the models for `wanted`, languages (`es`, `es-mx`) or names of models. Throws a `CommandError` for anything
 * else, with what there is.
 */
export function select(wanted: readonly string[], catalog: readonly CatalogModel[]): Selection {
  const models = new Set<CatalogModel>()
  const languages = new Set<string>()
  const notes: string[] = []
  const of = (kind: CatalogModel['kind']) => catalog.filter(model => model.kind === kind)
  const asked = wanted.filter(each => !catalog.some(({ name }) => name === each))
  const known = new Set(of('transcription').flatMap(model => model.languages))
  for (const each of asked) {
    const language = primaryLanguage(each.toLowerCase().replace('_', '-'))
    if (!known.has(language))
      throw new CommandError(
        `there is no model for "${each}"; languages: ${Array.from(known).sort().join(' ')}`,
      )
    languages.add(language)
  }

  const hears = (model: CatalogModel, all: Iterable<string>) =>
    Array.from(all).every(each => model.languages.includes(each))
  const one = of('transcription').find(model => hears(model, languages))
  if (languages.size > 0 && one) models.add(one)
  else for (const each of languages) models.add(of('transcription').find(model => hears(model, [each]))!)
  for (const name of wanted) for (const model of catalog) if (model.name === name) models.add(model)
  if (Array.from(models).some(({ kind }) => kind === 'transcription'))
    for (const model of of('detection')) models.add(model)

  for (const language of languages) {
    if (language !== 'en')
      for (const [from, to] of [
        [language, 'en'],
        ['en', language],
      ] as const) {
        const direction = of('translation').find(
          model => model.languages[0] === from && model.languages[1] === to,
        )
        if (direction) models.add(direction)
        else notes.push(`${language}: no model translates from ${from} to ${to}`)
      }
    const exact = asked
      .map(each => each.toLowerCase().replace('_', '-'))
      .filter(each => primaryLanguage(each) === language)
    const voices = of('synthesis').filter(model =>
      model.languages.some(each => primaryLanguage(each) === language),
    )
    const voice = voices.find(model => model.languages.some(each => exact.includes(each))) ?? voices[0]
    if (voice) models.add(voice)
    else notes.push(`${language}: no neural voice, eSpeak NG speaks if it can`)
  }
  return { models: Array.from(models), languages: Array.from(languages), notes }
}
