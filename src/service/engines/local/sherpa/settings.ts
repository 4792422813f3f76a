import { z } from 'zod'
import type { DeepReadonly } from '../../../../common/setting-fields.ts'
import { engineName, languagesSchema, ms } from '../../fields.ts'

/** Kinds of recognition model. The first three recognize while a person speaks, the others whole utterances. */
const RECOGNITION_KINDS = [
  'streaming-transducer',
  'streaming-zipformer2-ctc',
  'streaming-nemo-ctc',
  'transducer',
  'nemo-transducer',
  'sense-voice',
  'whisper',
  'moonshine',
] as const
export type RecognitionKind = (typeof RECOGNITION_KINDS)[number]

/** Kinds of voice model. Piper's voices are VITS models. */
const SYNTHESIS_KINDS = ['vits', 'kokoro', 'matcha'] as const
export type SynthesisKind = (typeof SYNTHESIS_KINDS)[number]

/** Settings of both tasks. */
const processes = {
  model: z.string().min(1).meta({ about: 'Folder of the model.' }),
  threads: z.int().min(1).max(32).default(1).meta({ about: 'Threads of each process for the model.' }),
  processes: z
    .int()
    .min(1)
    .max(16)
    .default(1)
    .meta({ about: 'Child processes, each with a copy of the model in memory.' }),
  loadTimeoutMs: ms(45_000).meta({ about: 'Maximum time to load the model (ms).' }),
  cooldownMs: ms(60_000).meta({ about: 'Cooldown after three consecutive failures of the process (ms).' }),
}

/** An entry of `transcription`. */
export const sherpaTranscriptionSchema = z
  .strictObject({
    engine: engineName('sherpa'),
    ...processes,
    kind: z.enum(RECOGNITION_KINDS).optional().meta({ about: 'Kind of model, if its files do not show it.' }),
    languages: languagesSchema,
    vad: z
      .string()
      .min(1)
      .optional()
      .meta({ about: 'Silero model that detects speech and pauses, such as `./models/silero_vad.onnx`.' }),
    vadThreshold: z
      .number()
      .min(0.05)
      .max(0.95)
      .default(0.5)
      .meta({ about: 'Probability from which sound is speech. Only with `vad`.' }),
    languageModel: z.string().min(1).optional().meta({
      about:
        'Folder of a multilingual Whisper model that identifies the language of each utterance. Requires `vad`.',
    }),
    hotwords: z
      .array(z.string().min(1))
      .default([])
      .meta({ about: 'Names and terms to expect. Only for transducers.' }),
    hotwordsScore: z
      .number()
      .min(0)
      .max(20)
      .default(1.5)
      .meta({ about: 'Preference for the hot words; too high a value makes them appear everywhere.' }),
    pauseMs: z.int().min(100).max(3_000).default(400).meta({ about: 'Pause that ends an utterance (ms).' }),
    stallMs: ms(800).meta({ about: 'Time without audio after which an utterance is finished (ms).' }),
    maxUtteranceMs: z
      .int()
      .min(1_000)
      .max(28_000)
      .default(15_000)
      .meta({ about: 'Length from which an utterance is split at a short pause (ms).' }),
  })
  .refine(({ vad, languageModel }) => vad !== undefined || languageModel === undefined, {
    path: ['languageModel'],
    message: 'requires vad',
  })

export type SherpaTranscriptionOptions = DeepReadonly<
  Omit<z.infer<typeof sherpaTranscriptionSchema>, 'engine'>
>

const gender = z.enum(['M', 'F']).meta({ about: 'Gender of the voice.' })
const speaker = z.int().min(0).optional().meta({ about: 'Number of the speaker in the model.' })

/** An entry of `synthesis`: one voice, or several speakers of a model. */
export const sherpaSynthesisSchema = z
  .strictObject({
    engine: engineName('sherpa'),
    ...processes,
    kind: z.enum(SYNTHESIS_KINDS).optional().meta({ about: 'Kind of model, if its files do not show it.' }),
    languages: languagesSchema.optional(),
    gender: gender.optional(),
    speaker,
    voices: z
      .array(
        z.strictObject({
          voice: z
            .string()
            .min(1)
            .meta({ about: 'Name of the speaker in the model, or a name for `speaker`.' }),
          languages: languagesSchema,
          gender,
          speaker,
        }),
      )
      .min(1)
      .optional()
      .meta({ about: 'Speakers of a model with several, instead of `languages` and `gender`.' }),
    speed: z.number().min(0.25).max(4).default(1).meta({ about: 'Speaking rate; 1 is normal.' }),
    timeoutMs: ms(20_000).meta({ about: 'Maximum time without new audio while text is spoken (ms).' }),
  })
  .refine(
    ({ voices, languages, gender }) =>
      voices === undefined
        ? languages !== undefined && gender !== undefined
        : languages === undefined && gender === undefined,
    'either languages and gender, or voices',
  )

export type SherpaSynthesisOptions = DeepReadonly<Omit<z.infer<typeof sherpaSynthesisSchema>, 'engine'>>
