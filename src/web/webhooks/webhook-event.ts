import { randomBytes } from 'node:crypto'
import type { WebhookEventType } from './settings.ts'

/** An event, with the data for all receivers. */
export interface WebhookEvent {
  readonly type: WebhookEventType
  readonly room: string
  /** The id of the room's life, when it has one. */
  readonly life?: string
  /** ISO 8601. */
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
  /** Transcripts: only for receivers with `texts`. */
  readonly texts?: Readonly<Record<string, unknown>>
}

/** An event as one receiver gets it. */
export interface SealedEvent {
  /** The same in every attempt. */
  readonly id: string
  readonly type: WebhookEventType
  readonly room: string
  /** JSON. */
  readonly body: string
}

/** Serializes `event` for a receiver; `sequence` counts its events of the room, from 1. */
export function sealed(event: WebhookEvent, sequence: number, withTexts: boolean): SealedEvent {
  const { type, room, life, at, data, texts } = event
  const id = `evt_${randomBytes(12).toString('base64url')}`
  const body = JSON.stringify({
    id,
    type,
    at,
    room,
    ...(life === undefined ? {} : { life }),
    sequence,
    data: withTexts ? { ...data, ...texts } : data,
  })
  return { id, type, room, body }
}
