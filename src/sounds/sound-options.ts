import { z } from 'zod'
import { NOTICES } from '../core/announcer.ts'
import { TONE_PLANS } from './tones.ts'

/** Settings of what the system says. */
export const soundOptionsSchema = z.strictObject({
  tones: z
    .enum(TONE_PLANS)
    .default('us')
    .meta({ about: 'Ringing and busy tones as in the United States, most of Europe or the United Kingdom.' }),
  notices: z
    .record(z.string(), z.partialRecord(z.enum(NOTICES), z.string().min(1)))
    .default({})
    .describe(
      `files by language and notice, like { es: { busy: ocupado.ogg } }; notices are ${NOTICES.join(', ')}`,
    )
    .meta({
      about:
        'Own recordings of notices: by language or language with region, then by notice; paths of files.',
    }),
  files: z
    .record(z.string().regex(/^[\w-]{1,64}$/), z.string().min(1))
    .default({})
    .describe('files by a name of letters, digits, _ and -')
    .meta({ about: 'Sounds that can be played into a conversation, by name; paths of files.' }),
  waitMs: z
    .number()
    .int()
    .min(100)
    .max(10_000)
    .default(2_000)
    .meta({ about: 'A notice that has no voice by then is a tone (ms).' }),
  cacheMb: z
    .number()
    .int()
    .min(1)
    .max(1_024)
    .default(32)
    .meta({ about: 'Memory for sounds (MB); those not heard for longest go first.' }),
})

export type SoundOptions = z.output<typeof soundOptionsSchema>

/** As they are written. */
export type SoundSettings = Readonly<z.input<typeof soundOptionsSchema>>
