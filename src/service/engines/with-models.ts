import { firefox } from './local/firefox/firefox-translator.ts'
import { type ModelEntry, modelEntries } from './local/installed-models.ts'
import { sherpaTranscription } from './local/sherpa/sherpa-recognizer.ts'
import { sherpaSynthesis } from './local/sherpa/sherpa-synthesizer.ts'
import type { EngineSettings } from './settings.ts'

const SCHEMAS = {
  transcription: sherpaTranscription.schema,
  translation: firefox.schema,
  synthesis: sherpaSynthesis.schema,
}

/** Engines with the installed models, and the models that are not used, with the reason. */
export interface EnginesWithModels {
  readonly engines: EngineSettings
  readonly refused: readonly (ModelEntry & { readonly refused: string })[]
}

/**
 * Appends the models that are installed in `folder` to the engines of the settings: they follow the engines listed there,
 * and precede the installed programs that are not. Never rejects: an unreadable manifest is a refusal.
 */
export async function withModels(
  engines: EngineSettings,
  folder: string | undefined,
  memory?: number,
): Promise<EnginesWithModels> {
  if (folder === undefined) return { engines, refused: [] }
  let found: ModelEntry[]
  try {
    found = await modelEntries(folder, memory)
  } catch (error) {
    const settings = { engine: 'models' }
    return {
      engines,
      refused: [{ kind: 'transcription', models: [], settings, refused: (error as Error).message }],
    }
  }
  const of = <K extends ModelEntry['kind']>(kind: K) =>
    found
      .filter(entry => entry.kind === kind && entry.refused === undefined)
      .map(({ settings }) => SCHEMAS[kind].parse(settings) as EngineSettings[K][number])
  return {
    engines: {
      ...engines,
      transcription: [...engines.transcription, ...of('transcription')],
      translation: [...engines.translation, ...of('translation')],
      synthesis: [...engines.synthesis, ...of('synthesis')],
    },
    refused: found.flatMap(({ refused, ...entry }) => (refused === undefined ? [] : [{ ...entry, refused }])),
  }
}
