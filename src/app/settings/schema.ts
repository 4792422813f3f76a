import { z } from 'zod'
import { browserSettingsSchema } from '../../bridges/browser/settings.ts'
import { discordSettingsSchema } from '../../bridges/discord/settings.ts'
import { CARRIERS, carrierSchemas } from '../../bridges/phone/carriers.ts'
import { urlSchema } from '../../common/setting-fields.ts'
import {
  callsSettingsSchema,
  drainSettingsSchema,
  keypadSettingsSchema,
  languageSettingsSchema,
} from '../../core/calls/settings.ts'
import { relaySettingsSchema } from '../../core/model/relay-settings.ts'
import { fleetSettingsSchema } from '../../fleet/settings.ts'
import { trustedProxiesSchema } from '../../net/client-address.ts'
import { limitSettingsSchema } from '../../net/settings.ts'
import { recordingSettingsSchema } from '../../recording/settings.ts'
import { serviceConnectionSettingsSchema } from '../../service/client/settings.ts'
import { embeddedSettingsSchema } from '../../service/server/settings.ts'
import {
  controlSettingsSchema,
  dashboardSettingsSchema,
  metricsSettingsSchema,
} from '../../web/control/settings.ts'
import { transcriptSettingsSchema } from '../../web/transcripts/settings.ts'
import { webhookSettingsSchema } from '../../web/webhooks/settings.ts'
import { soundSettingsSchema } from '../sounds/settings.ts'
import { tracingSettingsSchema } from '../tracing/settings.ts'

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
      'Public address at which carriers reach this server, without /twilio/voice. Twilio signs it, so requests are rejected if it is wrong.',
  }),
  stateFile: z.string().min(1).default('dragoman.db').describe('the path of a file').meta({
    about:
      'Database file with the state that survives a restart: created rooms, join codes and links, usage that counts toward limits, ended calls (so that captured requests of carriers are not accepted again), opt-outs and languages of Discord users, interpreted channels, and languages of callers. Contains no phone numbers. The nodes of a fleet share this state in NATS instead, except the usage of keys.',
  }),
  trustProxy: trustedProxiesSchema,
  limits: limitSettingsSchema.prefault({}),
  fleet: fleetSettingsSchema.prefault({}),
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
  languages: languageSettingsSchema.prefault({}),
  service: serviceConnectionSettingsSchema.prefault({}),
  embedded: embeddedSettingsSchema.prefault({}),
  relay: relaySettingsSchema.prefault({}),
  sounds: soundSettingsSchema.prefault({}),
  keypad: keypadSettingsSchema.prefault({}),
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
  calls: callsSettingsSchema.prefault({}),
  ...carrierSchemas,
  discord: discordSettingsSchema.prefault({}),
  browser: browserSettingsSchema.prefault({}),
})

/** Settings in their input form. */
export type ConfigInput = z.input<typeof settingsSchema>
export type CheckedConfig = z.output<typeof settingsSchema>

/** Keys whose values are never shown and can be read from a file. */
export const SECRETS: readonly string[] = [
  'fleet.key',
  'fleet.nats.password',
  'fleet.nats.token',
  'service.apiKey',
  'service.fallbacks',
  ...CARRIERS.flatMap(({ name, secrets }) => secrets.map(key => `${name}.${key}`)),
  'discord.token',
  'calls.roomCodes',
  'control.keys',
  'tracing.headers',
  'webhooks',
  'calls.callerLanguages.key',
  'embedded.apiKeys',
  'embedded.engines.transcription',
  'embedded.engines.translation',
  'embedded.engines.synthesis',
  'embedded.engines.interpretation',
]
