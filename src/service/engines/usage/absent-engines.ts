import type { LanguageId } from '../../../common/language.ts'
import type { EngineKind, SpeechToText, Synthesizer, TextTranslator } from '../engine.ts'
import { LANGUAGE_ROWS } from '../languages.ts'
import type { EngineUsage } from './engine-usage.ts'

/** An engine of the settings that could not be created. */
export interface AbsentEngine {
  readonly engine: string
  /** Languages of the settings; undefined if they do not limit it. */
  readonly languages: readonly LanguageId[] | undefined
  /** Number of available engines that precede it. */
  readonly position: number
}

/** An engine from speech to speech is always created: its service is contacted later. */
type Engine = SpeechToText | TextTranslator | Synthesizer

/** Records which engines serve instead of those absent, until the next start. */
export function reportAbsent(
  kind: EngineKind,
  absent: readonly AbsentEngine[],
  engines: readonly Engine[],
  usage: Pick<EngineUsage, 'absent'>,
): void {
  for (const { engine, languages, position } of absent) {
    const serves = (other: Engine) => languagesOf(other).filter(each => languages?.includes(each) ?? true)
    const instead = engines.slice(position).find(other => serves(other).length > 0)
    if (!instead) continue
    // An engine with further languages is no replacement in those.
    const always = serves(instead).length === languagesOf(instead).length
    usage.absent(kind, engine, instead.name, { always })
  }
}

/** Languages that an engine recognizes, translates from, or speaks. */
function languagesOf(engine: Engine): readonly LanguageId[] {
  if ('languages' in engine) return engine.languages
  if ('voices' in engine) return engine.voices.map(({ languageId }) => languageId)
  return LANGUAGE_ROWS.map(({ id }) => id).filter(id => engine.targets(id).length > 0)
}
