/** Settings of the engines that are installed on this machine. */
import { z } from 'zod'
import { ms } from './fields.ts'
import { grammarsSchema } from './local/pocketsphinx/grammar.ts'

const espeakSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: '`false` disables the engine even if installed.' }),
  command: z.string().default('espeak-ng').meta({ about: 'Program to run.' }),
  wordsPerMinute: z.int().min(80).max(450).default(165).meta({ about: 'Speaking rate.' }),
  amplitude: z.int().min(1).max(200).default(80).meta({ about: 'Volume of the voice (1–200).' }),
  timeoutMs: ms(10_000).meta({ about: 'Timeout for one utterance (ms).' }),
})

const fliteSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: '`false` disables the engine even if installed.' }),
  command: z.string().default('flite').meta({ about: 'Program to run.' }),
  timeoutMs: ms(10_000).meta({ about: 'Timeout for one utterance (ms).' }),
})

export type EspeakOptions = Readonly<Omit<z.infer<typeof espeakSchema>, 'enabled'>>
export type FliteOptions = Readonly<Omit<z.infer<typeof fliteSchema>, 'enabled'>>

export const pocketSphinxSettingsSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: '`false` disables the engine even if installed.' }),
  library: z.string().default('libpocketsphinx.so.3').meta({ about: 'Shared library of the recognizer.' }),
  base: z
    .string()
    .default('libsphinxbase.so.3')
    .meta({ about: 'Base library that the recognizer depends on.' }),
  models: z
    .string()
    .default('/usr/share/pocketsphinx/model/en-us')
    .meta({ about: 'Folder of the English models.' }),
  warm: z
    .int()
    .min(1)
    .default(1)
    .meta({ about: 'Decoders created at startup (92 MB each); more are created on demand.' }),
  pauseFrames: z
    .int()
    .min(10)
    .max(200)
    .default(30)
    .meta({ about: 'Pause that ends an utterance, in frames of 10 ms.' }),
  maxHmmPerFrame: z
    .int()
    .min(500)
    .max(30_000)
    .default(3_000)
    .meta({ about: 'Search effort. Higher values are slower and slightly more accurate in noise.' }),
  stallMs: ms(800).meta({ about: 'Time without audio after which an utterance is finished (ms).' }),
  partialMs: ms(200).meta({ about: 'Minimum time between two partial results (ms).' }),
  maxUtteranceMs: ms(10_000).meta({ about: 'Length from which an utterance is split at a quiet spot (ms).' }),
  grammars: grammarsSchema.meta({
    about:
      'Closed vocabularies by name. Only the phrases of the chosen one are recognized, far more accurately.',
  }),
  grammar: z.string().optional().meta({ about: 'Default grammar for connections that name none.' }),
})

export type PocketSphinxSettings = Readonly<Omit<z.infer<typeof pocketSphinxSettingsSchema>, 'enabled'>>

export const apertiumSettingsSchema = z.strictObject({
  enabled: z.boolean().default(true).meta({ about: '`false` disables the engine even if installed.' }),
  modes: z
    .string()
    .default('/usr/share/apertium/modes')
    .meta({ about: 'Folder of the translation modes (language pairs).' }),
  timeoutMs: ms(2_000).meta({ about: 'Timeout for one translation (ms).' }),
  maxWaiting: z
    .int()
    .min(1)
    .default(200)
    .meta({ about: 'Maximum number of queued texts per language pair.' }),
})

export type ApertiumOptions = Readonly<Omit<z.infer<typeof apertiumSettingsSchema>, 'enabled'>>

/** Settings of the local synthesizers by name, in order of preference. `SYNTHESIZERS` in engine-selection.ts creates them. */
export const localSynthesisSchema = {
  espeak: espeakSchema.prefault({}),
  flite: fliteSchema.prefault({}),
}
export type LocalSynthesisSettings = z.infer<ReturnType<typeof z.strictObject<typeof localSynthesisSchema>>>
