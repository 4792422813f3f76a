import { z } from 'zod'
import { secret, urlSchema } from '../../common/setting-fields.ts'

const places = z
  .array(z.string().min(1))
  .min(1)
  .optional()
  .describe('places in a result, like [file.data, audio]')

const socketPath = z
  .string()
  .regex(/^\/[^?#\s]*$/, 'a path like /translate/socket.io/')
  .optional()
  .describe('a path like /translate/socket.io/')

/** Connection to the translation service. */
export const serviceConnectionSettingsSchema = z.strictObject({
  url: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Address of the translation service. Without it, the embedded service is started.' }),
  apiKey: secret().optional().meta({ about: 'API key for the translation service.' }),
  socketPath: socketPath.meta({
    about:
      'Path of Socket.IO, if a proxy serves the service below a path: `/translate/socket.io/` for `https://host/translate`. Default: `/socket.io/`.',
  }),
  mode: z
    .enum(['streaming', 'block'])
    .default('streaming')
    .meta({ about: 'Translated voice: streamed during synthesis, or in one piece per utterance.' }),
  maxSessionMinutes: z.number().min(1).max(10_080).optional().meta({
    about:
      'Session limit of the service, in minutes. Each session is replaced during a pause before it ends. Not needed if the service announces its limit.',
  }),
  fallbacks: z
    .array(
      z.strictObject({
        url: urlSchema('an http:// or https:// address without user, query or fragment').meta({
          about: 'Address of a fallback service.',
        }),
        apiKey: secret().optional().meta({ about: 'API key of that service.' }),
        socketPath: socketPath.meta({ about: 'Path of Socket.IO at that service.' }),
      }),
    )
    .max(8)
    .default([])
    .describe('a list of { url, apiKey, socketPath }')
    .meta({
      about: 'Fallback services, in order of preference, used while the primary service is unavailable.',
    }),
  resultPaths: z
    .strictObject({
      audio: places.meta({
        about:
          'Paths of the MP3 audio in a result; the first match is used. Only for services with different field names.',
      }),
      text: places.meta({ about: 'Paths of the transcript in a result.' }),
      translation: places.meta({ about: 'Paths of the translation in a result.' }),
    })
    .optional(),
})
