import { z } from 'zod'
import { engineName, languagesSchema } from './fields.ts'
import { sherpaSynthesisSchema, sherpaTranscriptionSchema } from './local/sherpa/settings.ts'
import { billed } from './usage/billing.ts'
import {
  libreTranslateSchema,
  openAiSynthesisSchema,
  openAiTranscriptionSchema,
  openAiTranslationSchema,
  piperSchema,
} from './vendors/remote-settings.ts'
import {
  assemblyAiSchema,
  azureSynthesisSchema,
  azureTranscriptionSchema,
  azureTranslationSchema,
  cartesiaSchema,
  deepgramSchema,
  deeplSchema,
  deeplVoiceSchema,
  elevenLabsSchema,
  geminiInterpretationSchema,
  googleTranslationSchema,
  openAiInterpretationSchema,
  openAiLiveSchema,
  sonioxInterpretationSchema,
  sonioxLiveSchema,
  sonioxSynthesisSchema,
} from './vendors/settings.ts'

/** An installed engine with its position in the order, optionally for some languages only. */
const installed = <T extends string>(engine: T) =>
  z.strictObject({ engine: engineName(engine), languages: languagesSchema.optional() })

interface NamedEngine extends z.ZodObject {
  readonly shape: { readonly engine: z.ZodLiteral<string> }
}

/** Schema of the engines of a kind, in any order and number. */
function engineList<const Engines extends readonly [NamedEngine, ...NamedEngine[]]>(
  about: string,
  engines: Engines,
) {
  const names = engines.map(({ shape }) => shape.engine.value)
  return z
    .array(
      z.discriminatedUnion('engine', engines).describe(`a table whose engine is one of ${names.join(', ')}`),
    )
    .default([])
    .meta({ about })
}

/**
 * Engines by task, in order of preference. Installed engines that are not named come last. The factory of each engine is
 * in engine-factories.ts.
 */
export const engineChoicesSchema = {
  transcription: engineList('Speech recognition engines, in order of preference.', [
    billed(openAiTranscriptionSchema),
    sherpaTranscriptionSchema,
    billed(openAiLiveSchema),
    billed(deepgramSchema),
    billed(assemblyAiSchema),
    billed(sonioxLiveSchema),
    billed(azureTranscriptionSchema),
    installed('pocketsphinx'),
  ]),
  translation: engineList('Translation engines, in order of preference.', [
    billed(openAiTranslationSchema),
    billed(deeplSchema),
    billed(googleTranslationSchema),
    billed(azureTranslationSchema),
    billed(libreTranslateSchema),
    installed('apertium'),
  ]),
  synthesis: engineList('Speech synthesis engines, in order of preference.', [
    billed(openAiSynthesisSchema),
    billed(piperSchema),
    sherpaSynthesisSchema,
    billed(sonioxSynthesisSchema),
    billed(cartesiaSchema),
    billed(elevenLabsSchema),
    billed(azureSynthesisSchema),
    installed('espeak'),
    installed('flite'),
  ]),
  interpretation: engineList(
    'Engines from speech to speech, in order of preference. They precede the other three kinds.',
    [
      billed(openAiInterpretationSchema),
      billed(sonioxInterpretationSchema),
      billed(deeplVoiceSchema),
      billed(geminiInterpretationSchema),
    ],
  ),
}

const choices = z.strictObject(engineChoicesSchema)
export type EngineChoices = z.output<typeof choices>
