import { errorRate, type WordErrors, wordErrors } from '../../src/cli/engines/word-errors.ts'
import { systemClock } from '../../src/common/clock.ts'
import {
  PocketSphinx,
  type PocketSphinxOptions,
} from '../../src/service/engines/local/pocketsphinx/pocketsphinx.ts'
import { cards, joined, LINES, pause, type Spoken, sentences } from './material.ts'

/** One line of the table. */
export interface RecognitionRow {
  readonly what: string
  readonly line: string
  readonly words: number
  /** Word error rate, percent. */
  readonly wer: number
  /** CPU time per second of audio. */
  readonly load: number
}

const ROOM_MS = 400
/** Between sentences, and after the last: longer than the pause that ends an utterance. */
const PAUSE_MS = 900

/** Measures the embedded recognizer on the recordings, with the settings of the service. */
export async function benchRecognition(settings: PocketSphinxOptions): Promise<RecognitionRow[]> {
  const deck = cards()
  const grammars: PocketSphinxOptions['grammars'] = deck ? { cards: { file: deck.grammar } } : {}
  const engine = await PocketSphinx.create({ ...settings, decoders: 1, grammars }, systemClock)
  const rows: RecognitionRow[] = []
  try {
    for (const [line, sent] of Object.entries(LINES)) {
      const spoken = sentences().map(each => ({ ...each, pcm: sent(each.pcm) }))
      rows.push(await measure('each sentence as the first of a session', line, spoken.map(alone), engine))
      rows.push(await measure('the five sentences in one session', line, [inSequence(spoken)], engine))
      if (!deck) continue
      const played = deck.spoken.map(each => alone({ ...each, pcm: sent(each.pcm) }))
      rows.push(await measure('playing cards, the whole language', line, played, engine))
      rows.push(await measure('playing cards, their grammar', line, played, engine, 'cards'))
    }
  } finally {
    await engine.close()
  }
  return rows
}

function alone({ words, pcm }: Spoken): Spoken {
  return { words, pcm: joined(pause(ROOM_MS), pcm, pause(PAUSE_MS)) }
}

function inSequence(spoken: readonly Spoken[]): Spoken {
  return {
    words: spoken.map(({ words }) => words).join(' '),
    pcm: joined(pause(ROOM_MS), ...spoken.flatMap(({ pcm }) => [pcm, pause(PAUSE_MS)])),
  }
}

async function measure(
  what: string,
  line: string,
  spoken: readonly Spoken[],
  engine: PocketSphinx,
  grammar?: string,
): Promise<RecognitionRow> {
  const before = process.cpuUsage()
  const errors: WordErrors[] = []
  for (const { words, pcm } of spoken) errors.push(wordErrors(words, await heard(engine, pcm, grammar)))
  const { user, system } = process.cpuUsage(before)
  const seconds = spoken.reduce((sum, { pcm }) => sum + pcm.length / 16_000, 0)
  const words = errors.reduce((sum, each) => sum + each.words, 0)
  return { what, line, words, wer: errorRate(errors), load: (user + system) / 1e6 / seconds }
}

/** Result of a separate session for `pcm`, in fragments of 60 ms sent at full speed. */
async function heard(engine: PocketSphinx, pcm: Int16Array, grammar: string | undefined): Promise<string> {
  const finals: string[] = []
  const stream = await engine.open(
    'en-us',
    {
      partial() {},
      final: ({ text }) => void finals.push(text),
      failed: error => {
        throw error
      },
    },
    { grammar },
  )
  for (let at = 0; at < pcm.length; at += 960) stream.write(pcm.subarray(at, at + 960))
  while (stream.queuedMs > 0) await new Promise(resolve => setTimeout(resolve, 20))
  // The last slice leaves the queue before it is recognized.
  await new Promise(resolve => setTimeout(resolve, 1_200))
  await stream.close()
  return finals.join(' ')
}
