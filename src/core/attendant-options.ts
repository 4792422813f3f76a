import { z } from 'zod'
import { KEY_ACTIONS, type KeyMap, keyTable } from './key-commands.ts'
import { languageId } from './languages.ts'

const keys = (usual: string) =>
  z
    .union([
      z.literal('off'),
      z.string().regex(/^[0-9*#A-D]{1,6}$/, 'keys like "*1" in quotes: 1 to 6 of 0-9, *, # and A-D; or off'),
    ])
    .default(usual)
    .describe('keys like "*1" in quotes, or off')

const LANGUAGE = 'a language like en-us: <language>-<region>'

const language = z
  .string()
  .transform((text, context) => {
    try {
      return languageId(text)
    } catch {
      context.addIssue({ code: 'custom', message: LANGUAGE })
      return z.NEVER
    }
  })
  .describe(LANGUAGE)

/** Settings of the attendant, which handles key commands of participants and plays notices. */
export const attendantOptionsSchema = z.strictObject({
  /** Key sequence of each action. A digit follows the sequence of `language`. */
  keys: z
    .strictObject({
      pause: keys('*1').meta({ about: 'Pauses and resumes interpreting.' }),
      repeat: keys('*2').meta({ about: 'Says the last translation once more.' }),
      mute: keys('*3').meta({ about: 'Mutes oneself, and is heard again.' }),
      recording: keys('*5').meta({ about: 'Pauses and resumes a recording.' }),
      language: keys('*9').meta({ about: 'Another language; a digit follows: see attendant.languages.' }),
      options: keys('*0').meta({ about: 'Says what there is.' }),
    })
    .prefault({})
    .superRefine((chosen, context) => {
      try {
        keyTable(keyMapOf(chosen))
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'other keys' })
      }
    }),
  keyTimeoutMs: z
    .number()
    .int()
    .min(500)
    .max(30_000)
    .default(3_000)
    .meta({ about: 'Keys further apart than this do not belong together (ms).' }),
  languages: z.array(language).max(9).default([]).describe('up to 9 languages, like [en-us, es-es]').meta({
    about:
      'The languages that a digit chooses, in this order; without them the language cannot be changed by keys.',
  }),
  awayNoticeMs: z
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(1_000)
    .meta({ about: 'Translation is away for this long before a listener is told (ms).' }),
  awayAgainMs: z
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(30_000)
    .meta({ about: 'A listener is not told again sooner than this (ms).' }),
  backNoticeMs: z
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(5_000)
    .meta({ about: 'It was away for at least this long when they are told that it is back (ms).' }),
})

/** Complete options of the attendant; `attendantOptions` fills them in. */
export type AttendantOptions = z.output<typeof attendantOptionsSchema>

/** Options as written in the settings. */
export type AttendantSettings = Readonly<
  Omit<z.input<typeof attendantOptionsSchema>, 'languages' | 'keys'> & {
    readonly languages?: readonly string[] | undefined
    readonly keys?: Readonly<z.input<typeof attendantOptionsSchema>['keys']>
  }
>

/** Fills in the defaults. Throws on an unknown key or an invalid value. */
export function attendantOptions(given: AttendantSettings = {}): AttendantOptions {
  return attendantOptionsSchema.parse(given)
}

/** Returns the key sequences of all actions that are not `off`. */
export function keyMapOf(keys: AttendantOptions['keys']): KeyMap {
  return Object.fromEntries(
    KEY_ACTIONS.flatMap(action => (keys[action] === 'off' ? [] : [[action, keys[action]]])),
  )
}
