import { z } from 'zod'
import { keyFields, ms } from '../fields.ts'

/** Settings that all engines over WebSocket have. */
export const liveFields = {
  ...keyFields,
  timeoutMs: ms(5_000).meta({ about: 'Timeout for opening a connection (ms).' }),
  cooldownMs: ms(10_000).meta({ about: 'Cooldown after three consecutive failures (ms).' }),
  quietMs: z.int().min(2_000).default(20_000).meta({
    about: 'Time without speech after which a connection is closed; it opens again with speech (ms).',
  }),
  stallMs: ms(800).meta({ about: 'Time without audio after which an utterance is finished (ms).' }),
}

/** Settings of voices over a WebSocket that all utterances share. */
export const sharedSpeechFields = {
  ...keyFields,
  timeoutMs: ms(5_000).meta({
    about: 'Timeout for opening a connection, and maximum wait for the speech of a text (ms).',
  }),
  cooldownMs: liveFields.cooldownMs,
  idleMs: z.int().min(1_000).default(60_000).meta({
    about: 'Time without speech after which a connection is closed; it opens again with the next text (ms).',
  }),
}

/** Returns the WebSocket address of `path` at a server whose setting is `url` (http:// or https://). */
export function socketUrl(url: string, path: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`
}
