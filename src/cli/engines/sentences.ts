import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import { CommandError } from '../errors.ts'
import { wideAudio } from '../sample-audio.ts'

/** A recorded sentence with its transcript. */
export interface Sentence {
  readonly file: string
  readonly language: LanguageId
  readonly text: string
  /** 16 kHz, mono. */
  readonly pcm: Int16Array
}

const BUNDLED = fileURLToPath(new URL('../../../recordings/', import.meta.url))

const transcriptsSchema = z
  .array(z.object({ file: z.string().min(1), language: z.string().min(1), text: z.string().min(1) }))
  .min(1)

/**
 * Reads the sentences in `language` of a folder: WAV files, and `transcripts.json` with the `file`, `language` and `text`
 * of each. Default: the bundled recordings. Throws a `CommandError` if there are none.
 */
export async function readSentences(language: LanguageId, folder = BUNDLED): Promise<Sentence[]> {
  const path = join(folder, 'transcripts.json')
  const transcripts = await transcriptsOf(path)
  const wanted = transcripts.filter(each => sameLanguage(each.language, language))
  if (wanted.length === 0) {
    const others = Array.from(new Set(transcripts.map(each => each.language))).join(', ')
    throw new CommandError(
      `${path} has no sentence in ${language}, only in ${others}; change --from or the folder`,
    )
  }
  return await Promise.all(
    wanted.map(async ({ file, text, language: spoken }) => ({
      ...{ file, text, language: spoken },
      pcm: await wideAudio(join(folder, file)),
    })),
  )
}

async function transcriptsOf(path: string): Promise<z.infer<typeof transcriptsSchema>> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError(
      `${path} is not readable (${(error as NodeJS.ErrnoException).code}); it lists the recordings`,
    )
  }
  try {
    return transcriptsSchema.parse(JSON.parse(text))
  } catch {
    throw new CommandError(`${path}: expected a list of { "file", "language", "text" }`)
  }
}

/** The sentence for single trials: the last bundled one. */
export async function sampleSentence(): Promise<Sentence> {
  const sentences = await readSentences('en-us')
  return sentences.at(-1)!
}

/** Number of words of `wanted`, and the minimum number of words to insert, drop or replace in `heard` to get them. */
export interface WordErrors {
  readonly words: number
  readonly errors: number
}

export function wordErrors(wanted: string, heard: string): WordErrors {
  const [want, have] = [wordsOf(wanted), wordsOf(heard)]
  let row = Array.from({ length: have.length + 1 }, (_, column) => column)
  for (const [index, word] of want.entries()) {
    const next = [index + 1]
    for (const [column, other] of have.entries())
      next.push(Math.min(next[column]! + 1, row[column + 1]! + 1, row[column]! + (word === other ? 0 : 1)))
    row = next
  }
  return { words: want.length, errors: row.at(-1)! }
}

/** Overall word error rate, in percent. */
export function errorRate(all: readonly WordErrors[]): number {
  const sum = (key: keyof WordErrors) => all.reduce((total, each) => total + each[key], 0)
  return (100 * sum('errors')) / sum('words')
}

/** Words in the form of the transcripts: lower case, `mr` as `mister`. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
  return words.map(word => (word === 'mr' ? 'mister' : word))
}
