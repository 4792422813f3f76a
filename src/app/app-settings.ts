import {
  type AttendantSettings,
  attendantOptions,
  type DrainSettings,
  drainSettingsSchema,
} from '../core/calls/settings.ts'
import { type RelaySettings, relayOptions } from '../core/model/relay-settings.ts'
import { type RecordingSettings, recordingSettingsSchema } from '../media/recording/settings.ts'
import { type LimitSettings, limitSettingsSchema } from '../net/settings.ts'
import { type TracingSettings, tracingSettingsSchema } from '../tracing/settings.ts'
import { type ControlSettings, controlSettingsSchema } from '../web/control/settings.ts'
import { type TranscriptSettings, transcriptSettingsSchema } from '../web/transcripts/settings.ts'
import { type WebhookSettings, webhookSettingsSchema } from '../web/webhooks/settings.ts'
import type { AppConfig } from './app-config.ts'

/** The sections of the configuration that several parts of the app use, with their defaults. */
export interface AppSettings {
  readonly relay: RelaySettings
  readonly attendant: AttendantSettings
  readonly limits: LimitSettings
  readonly drain: DrainSettings
  readonly tracing: TracingSettings
  readonly control: ControlSettings
  readonly webhooks: readonly WebhookSettings[]
  readonly transcripts: TranscriptSettings
  readonly recording: RecordingSettings
}

/** Checks these sections and adds defaults. Throws for an invalid value. */
export function appSettings(config: AppConfig): AppSettings {
  return {
    relay: relayOptions(config.relay),
    attendant: attendantOptions(config.attendant),
    limits: limitSettingsSchema.parse(config.limits ?? {}),
    drain: drainSettingsSchema.parse(config.drain ?? {}),
    tracing: tracingSettingsSchema.parse(config.tracing ?? {}),
    control: controlSettingsSchema.parse(config.control ?? {}),
    webhooks: (config.webhooks ?? []).map(each => webhookSettingsSchema.parse(each)),
    transcripts: transcriptSettingsSchema.parse(config.transcripts ?? {}),
    recording: recordingSettingsSchema.parse(config.recording ?? {}),
  }
}
