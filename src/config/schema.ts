import { z } from 'zod'
import { browserSettingsSchema } from '../bridges/browser/settings.ts'
import { discordSchema } from '../bridges/discord/settings.ts'
import { twilioSchema } from '../bridges/twilio/settings.ts'
import { languageSchema, secret, urlSchema } from '../common/setting-fields.ts'
import { attendantSettingsSchema, callsSchema } from '../core/calls/settings.ts'
import { relaySettingsSchema } from '../core/model/relay-settings.ts'
import { recordingSettingsSchema } from '../media/recording/settings.ts'
import { soundSettingsSchema } from '../media/sounds/settings.ts'
import { trustedProxiesSchema } from '../net/client-address.ts'
import { limitSettingsSchema } from '../net/settings.ts'
import { serviceConfigSchema } from '../service/server/settings.ts'
import { tracingSettingsSchema } from '../tracing/settings.ts'
import { controlSettingsSchema } from '../web/control/settings.ts'
import { dashboardSettingsSchema } from '../web/dashboard/settings.ts'
import { metricsSettingsSchema } from '../web/metrics/settings.ts'
import { transcriptSettingsSchema } from '../web/transcripts/settings.ts'
import { webhookSettingsSchema } from '../web/webhooks/settings.ts'

/** Handling of calls on shutdown. */
export const drainSettingsSchema = z.strictObject({
  seconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .meta({ about: 'Time for calls in progress to end before they are handed over (s).' }),
  newCalls: z.enum(['busy', 'unavailable']).default('busy').meta({
    about: 'Response to new calls meanwhile: a spoken notice, or 503, so that another server answers.',
  }),
  resumeDelaySeconds: z
    .int()
    .min(1)
    .max(60)
    .default(2)
    .meta({ about: 'Delay before a handed-over call is redirected (s).' }),
})

export type DrainSettings = z.output<typeof drainSettingsSchema>

const places = z
  .array(z.string().min(1))
  .min(1)
  .optional()
  .describe('places in a result, like [file.data, audio]')

const serviceSchema = z.strictObject({
  url: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Address of the translation service. Without it, the embedded service is started.' }),
  apiKey: secret().optional().meta({ about: 'API key for the translation service.' }),
  mode: z
    .enum(['streaming', 'block'])
    .default('streaming')
    .meta({ about: 'Translated voice in pieces as it is synthesized, or one piece per utterance.' }),
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
      }),
    )
    .max(8)
    .default([])
    .describe('a list of { url, apiKey }')
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
      utterance: places.meta({ about: 'Paths of the ID of the utterance to which a result belongs.' }),
      final: places.meta({ about: 'Paths of the flag that marks a text as final.' }),
      endMs: places.meta({ about: 'Paths of the position in the audio that a result covers (ms).' }),
    })
    .optional(),
})

/** All settings, each checked alone; `cross-checks.ts` adds the checks of combinations. */
export const settingsSchema = z.strictObject({
  host: z.string().min(1).optional().describe('an address of this machine, like 127.0.0.1 or 0.0.0.0').meta({
    about:
      'Address on which the server listens. Default: 127.0.0.1, or 0.0.0.0 if publicUrl is set and trustProxy is not on this machine.',
  }),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(8080)
    .meta({ about: 'Port of the server. 0 selects any free port.' }),
  publicUrl: urlSchema('an https:// address without user, query or fragment').optional().meta({
    about:
      'Public address at which Twilio reaches this server, without /twilio/voice. Twilio signs it, so requests are rejected if it is wrong.',
  }),
  trustProxy: trustedProxiesSchema,
  limits: limitSettingsSchema.prefault({}),
  drain: drainSettingsSchema.prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .default('info')
        .meta({ about: 'Log level. No level shows transcripts or secrets.' }),
      format: z.enum(['auto', 'json', 'text']).default('auto').meta({
        about:
          'Log format: `json` for machines, `text` for people. `auto` selects text on a terminal and JSON otherwise.',
      }),
    })
    .prefault({}),
  languages: z
    .strictObject({
      speaks: languageSchema.prefault('en-us').meta({ about: 'Default language of callers.' }),
      hears: languageSchema.prefault('es-es').meta({ about: 'Default language that callers hear.' }),
    })
    .prefault({}),
  service: serviceSchema.prefault({}),
  // The embedded service checks its keys where it is started; only its settings matter here.
  embedded: z
    .strictObject({
      ...serviceConfigSchema.shape,
      keyFile: z.string().min(1).default('dragoman.keys.json').meta({
        about:
          'File with the key digests of the embedded service. `dragoman keys` adds and revokes keys while it runs.',
      }),
    })
    .prefault({}),
  relay: relaySettingsSchema.prefault({}),
  sounds: soundSettingsSchema.prefault({}),
  attendant: attendantSettingsSchema.prefault({}),
  recording: recordingSettingsSchema.prefault({}),
  control: controlSettingsSchema.prefault({}),
  dashboard: dashboardSettingsSchema.prefault({}),
  metrics: metricsSettingsSchema.prefault({}),
  tracing: tracingSettingsSchema.prefault({}),
  webhooks: z
    .array(webhookSettingsSchema)
    .default([])
    .describe('a list of { url, secret, events, includeTexts, name }')
    .meta({ about: 'Receivers of events, sent as signed requests.' }),
  transcripts: transcriptSettingsSchema.prefault({}),
  calls: callsSchema.prefault({}),
  twilio: twilioSchema.prefault({}),
  discord: discordSchema.prefault({}),
  browser: browserSettingsSchema.prefault({}),
})

/** Settings in their input form. */
export type ConfigInput = z.input<typeof settingsSchema>
export type CheckedConfig = z.output<typeof settingsSchema>

/** Keys whose values are never shown and can be read from a file. */
export const SECRETS: readonly string[] = [
  'service.apiKey',
  'service.fallbacks',
  'twilio.authToken',
  'twilio.authTokens',
  'twilio.outbound.authToken',
  'twilio.outbound.apiKeySecret',
  'discord.token',
  'discord.preferences.key',
  'calls.roomCodes',
  'control.keys',
  'tracing.headers',
  'webhooks',
  'calls.callerLanguages.key',
  'embedded.apiKeys',
  'embedded.engines.transcription',
  'embedded.engines.translation',
  'embedded.engines.synthesis',
]
