import { z } from 'zod'
import { drainSchema } from '../app/drain.ts'
import { browserSettingsSchema } from '../bridges/browser/browser-settings.ts'
import { attendantOptionsSchema } from '../core/attendant-options.ts'
import { relayOptionsSchema } from '../core/relay-options.ts'
import { limitsSchema } from '../guard/limits.ts'
import { trustedProxiesSchema } from '../guard/trusted-proxies.ts'
import { recordingOptionsSchema } from '../recording/recording-options.ts'
import { serviceConfigSchema } from '../service/server/service-config.ts'
import { soundOptionsSchema } from '../sounds/sound-options.ts'
import { tracingSettingsSchema } from '../tracing/tracing-settings.ts'
import { controlSettingsSchema } from '../web/control/control-settings.ts'
import { dashboardSettingsSchema } from '../web/dashboard/dashboard-settings.ts'
import { metricsSettingsSchema } from '../web/metrics/metrics-settings.ts'
import { transcriptSettingsSchema } from '../web/transcript/transcript-settings.ts'
import { webhookSchema } from '../web/webhooks-out/webhook-settings.ts'
import { callsSchema } from './calls-schema.ts'
import { checkStart, checkTogether, type Started } from './combinations.ts'
import { discordSchema } from './discord-schema.ts'
import { languageSchema, secret, urlSchema } from './fields.ts'
import { twilioSchema } from './twilio-schema.ts'

const places = z
  .array(z.string().min(1))
  .min(1)
  .optional()
  .describe('places in a result, like [file.data, audio]')

const serviceSchema = z.strictObject({
  url: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Address of the translation service. Without it the embedded one is started.' }),
  apiKey: secret().optional().meta({ about: 'The key that the service knows us by.' }),
  mode: z
    .enum(['streaming', 'block'])
    .default('streaming')
    .meta({ about: 'Translated voice in pieces as it is made, or one piece an utterance.' }),
  sessionMinutes: z.number().min(1).max(10_080).optional().meta({
    about:
      'The service ends sessions after so long: each is replaced in a pause before. Not needed where the service says so itself.',
  }),
  fallbacks: z
    .array(
      z.strictObject({
        url: urlSchema('an http:// or https:// address without user, query or fragment').meta({
          about: 'Address of a service that stands in.',
        }),
        apiKey: secret().optional().meta({ about: 'Its key.' }),
      }),
    )
    .max(8)
    .default([])
    .describe('a list of { url, apiKey }')
    .meta({ about: 'Services that stand in, in this order, while the first is away.' }),
  places: z
    .strictObject({
      audio: places.meta({
        about:
          'Where the mp3 is in a result, first hit wins; for services that name things in their own way.',
      }),
      text: places.meta({ about: 'Where the text is that was said.' }),
      translation: places.meta({ about: 'Where the translation is.' }),
      utterance: places.meta({ about: 'Where it says to which utterance a result belongs.' }),
      final: places.meta({ about: 'Where it says whether the text may still change.' }),
      endMs: places.meta({ about: 'Where it says how far into the audio a result reaches.' }),
    })
    .optional(),
})

/** Everything that can be set: `dragoman.yaml` and the environment are checked against this and nothing else. */
export const configSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .optional()
      .describe('an address of this machine, like 127.0.0.1 or 0.0.0.0')
      .meta({
        about:
          'Where the server listens. Without it: this machine only, or 0.0.0.0 where publicUrl is set and trustProxy is not on this machine.',
      }),
    port: z.int().min(0).max(65_535).default(8080).meta({ about: 'Port of the server; 0: any free one.' }),
    publicUrl: urlSchema('an https:// address without user, query or fragment').optional().meta({
      about:
        'The address by which Twilio reaches this server, without /twilio/voice. Twilio signs it, so a wrong one refuses every call.',
    }),
    trustProxy: trustedProxiesSchema,
    limits: limitsSchema.prefault({}),
    drain: drainSchema.prefault({}),
    log: z
      .strictObject({
        level: z
          .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
          .default('info')
          .meta({ about: 'How much goes into the log. No level shows what people say, or secrets.' }),
        format: z.enum(['auto', 'json', 'text']).default('auto').meta({
          about:
            'How lines of the log are written: `json` for machines, `text` for people; `auto`: text on a terminal, JSON everywhere else.',
        }),
      })
      .prefault({}),
    languages: z
      .strictObject({
        speaks: languageSchema
          .prefault('en-us')
          .meta({ about: 'What callers speak whose number says nothing else.' }),
        hears: languageSchema
          .prefault('es-es')
          .meta({ about: 'What callers hear whose number says nothing else.' }),
      })
      .prefault({}),
    service: serviceSchema.prefault({}),
    // Its own rules about keys hold where it is started; here only its settings are of interest.
    embedded: z
      .strictObject({
        ...serviceConfigSchema.shape,
        keyFile: z.string().min(1).default('dragoman.keys.json').meta({
          about:
            'Keys of the embedded service, as digests, which `dragoman keys` adds and revokes while it runs.',
        }),
      })
      .prefault({}),
    relay: relayOptionsSchema.prefault({}),
    sounds: soundOptionsSchema.prefault({}),
    attendant: attendantOptionsSchema.prefault({}),
    recording: recordingOptionsSchema.prefault({}),
    control: controlSettingsSchema.prefault({}),
    dashboard: dashboardSettingsSchema.prefault({}),
    metrics: metricsSettingsSchema.prefault({}),
    tracing: tracingSettingsSchema.prefault({}),
    webhooks: z
      .array(webhookSchema)
      .default([])
      .describe('a list of { url, secret, events, texts, name }')
      .meta({ about: 'Who is told what happens, by signed requests.' }),
    transcripts: transcriptSettingsSchema.prefault({}),
    calls: callsSchema.prefault({}),
    twilio: twilioSchema.prefault({}),
    discord: discordSchema.prefault({}),
    browser: browserSettingsSchema.prefault({}),
  })
  .superRefine(checkTogether)

/** The same, for what is to be started with them. */
export const START_SCHEMAS = {
  bridge: configSchema.superRefine(checkStart('bridge')),
  service: configSchema.superRefine(checkStart('service')),
} as const satisfies Record<Started, unknown>

/** Settings as written. */
export type ConfigInput = z.input<typeof configSchema>
export type CheckedConfig = z.output<typeof configSchema>

/** Keys whose values are never shown and may come from a file. */
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
  'calls.remembered.key',
  'embedded.apiKeys',
  'embedded.engines.transcription',
  'embedded.engines.translation',
  'embedded.engines.synthesis',
]
