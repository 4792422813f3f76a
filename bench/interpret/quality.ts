import { systemClock } from '../../src/common/clock.ts'
import { noopLogger } from '../../src/common/log.ts'
import { systemWallClock } from '../../src/common/wall-clock.ts'
import type { Transcript } from '../../src/service/engines/engine.ts'
import { ClauseCommitter, type CommitMode } from '../../src/service/engines/interpret/clause-committer.ts'
import { fitted } from '../../src/service/engines/interpret/clause-text.ts'
import { lostFigures } from '../../src/service/engines/interpret/figures-guard.ts'
import { openEngines } from '../../src/service/engines/open-engines.ts'
import { ThreadUse } from '../../src/service/engines/thread-budget.ts'
import { EngineUsage } from '../../src/service/engines/usage/engine-usage.ts'
import { serviceSettings } from '../../src/service/server/settings.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import { chrf } from './chrf.ts'
import { figureSentences } from './figure-sentences.ts'
import { mark } from './marked-audio.ts'
import { SENTENCES, script } from './material.ts'
import { type Habit, ScriptedRecognizer } from './scripted-engines.ts'

/** Sentences of the material once each. */
const MINUTES = 1.9

/** chrF of Apertium, en→es, against the references; undefined if Apertium is not installed. */
export async function apertiumQuality(mode: CommitMode, habit: Habit): Promise<number | undefined> {
  const settings = serviceSettings({ apiKeys: ['bench'] })
  const usage = new EngineUsage()
  const engines = await openEngines(settings, new ThreadUse(systemClock), {
    ...{ clock: systemClock, wallClock: systemWallClock, log: noopLogger, usage },
  })
  try {
    const translator = engines.translator('en-us', 'es-es')
    if (!translator) return undefined
    const translations: string[] = []
    let sentence = ''
    for (const { text, endsSentence } of await clausesOf(mode, habit)) {
      const source = text
      if (source !== '') {
        const translation = await translator.translate(source, 'en-us', 'es-es')
        const place = { source, first: sentence === '', last: endsSentence, to: 'es-es' }
        sentence = `${sentence} ${mode === 'utterance' ? translation : fitted(translation, place)}`.trim()
      }
      if (!endsSentence) continue
      if (sentence !== '') translations.push(sentence)
      sentence = ''
    }
    const references = SENTENCES.map(({ es }) => es)
    return chrf(translations.slice(0, references.length), references.slice(0, translations.length))
  } finally {
    await engines.close()
  }
}

/** The clauses of the material, with a recognizer of this habit. */
async function clausesOf(mode: CommitMode, habit: Habit) {
  const spoken = script('en', MINUTES, 0.7)
  const committer = new ClauseCommitter('en-us', mode)
  const clauses: ReturnType<ClauseCommitter['final']> = []
  let positionMs = 0
  const sink = {
    partial: (transcript: Transcript) => void clauses.push(...committer.partial(transcript, positionMs)),
    final: (transcript: Transcript) => void clauses.push(...committer.final(transcript)),
    failed(error: Error) {
      throw error
    },
  }
  const stream = await new ScriptedRecognizer('en-us', spoken, habit).open('en-us', sink)
  for (let index = 0; index * FRAME_MS < spoken.lengthMs + 2_000; index++) {
    positionMs += FRAME_MS
    stream.write(mark(new Int16Array(FRAME_SAMPLES), index))
  }
  return clauses
}

/** Share of corrupted figures that are marked, and of correct ones that are marked as well (%), over `count` sentences. */
export function guardedFigures(count: number): { kept: number; alarms: number } {
  const sentences = figureSentences(count)
  const marked = sentences.filter(
    ({ text, from, translation, to }) => lostFigures(text, from, translation, to).length > 0,
  )
  const corrupted = sentences.filter(each => each.corrupted).length
  const found = marked.filter(each => each.corrupted).length
  return {
    kept: (100 * found) / corrupted,
    alarms: (100 * (marked.length - found)) / (count - corrupted),
  }
}
