/** Fields and schemas that the settings of several engines share. Light: the configuration loads it. */
import { z } from 'zod'
import { isLanguageId } from '../../common/language.ts'
import type { DeepReadonly } from '../../common/setting-fields.ts'

/** Discriminator of the entries of an engine list. */
export const engineName = <T extends string>(name: T) => z.literal(name).meta({ about: 'Kind of engine.' })

/** A positive number of milliseconds. */
export const ms = (fallback: number) => z.int().min(1).default(fallback)

export const languageSchema = z
  .string()
  .refine(isLanguageId, 'expected a language like en-us (<language>-<region>)')
export const languagesSchema = z
  .array(languageSchema)
  .min(1)
  .meta({ about: 'Languages for which this engine is used.' })

/** Address of a server, with or without the `/v1` of its paths. */
const addressSchema = z
  .string()
  .refine(isAddress, 'an http:// or https:// address without user, query or fragment')
  .transform(text => text.replace(/\/+$/, '').replace(/\/v1$/, ''))
const url = addressSchema.meta({ about: 'URL of the server.' })

/** Address of a resource of the operator at a hosted service. */
export const resourceUrlField = (about: string) => addressSchema.meta({ about })

/** Address of a hosted service, which only tests and proxies change. */
export const urlField = (fallback: string) =>
  addressSchema.default(fallback).meta({ about: 'URL of the service.' })

/** The key of a server or service: as text or in a file. */
export const keyFields = {
  apiKey: z.string().min(1).optional().meta({ about: 'API key for the server.' }),
  apiKeyFile: z.string().min(1).optional().meta({ about: 'File with the API key.' }),
}

/** Key, times and repetitions of requests over HTTP. */
export const requestFields = {
  ...keyFields,
  timeoutMs: ms(10_000).meta({ about: 'Timeout of a request, including retries (ms).' }),
  retries: z.int().min(0).max(5).default(1).meta({ about: 'Number of retries.' }),
  cooldownMs: ms(5_000).meta({ about: 'Cooldown after three consecutive failures (ms).' }),
}

export const serverFields = { url, ...requestFields }

/** An engine behind HTTP. `apiKey` is sent as `Authorization: Bearer`, and is never part of an error or a log line. */
export type EngineHttpOptions = Readonly<z.infer<z.ZodObject<typeof serverFields>>>

/** Limits of a translator behind HTTP. */
export const queueFields = {
  parallel: z.int().min(1).max(64).default(4).meta({ about: 'Concurrent requests per language pair.' }),
  maxWaiting: z.int().min(1).default(100).meta({ about: 'Maximum number of queued requests.' }),
}

export type HttpTranslatorOptions = EngineHttpOptions & Readonly<z.infer<z.ZodObject<typeof queueFields>>>

/** Voices of a server. */
export const voicesSchema = z
  .array(
    z.strictObject({
      voice: z.string().min(1).meta({ about: 'Name of the voice at the server.' }),
      languages: languagesSchema,
      gender: z.enum(['M', 'F']).meta({ about: 'Gender of the voice.' }),
    }),
  )
  .min(1)
  .meta({ about: 'Voices of the server, each with the languages it speaks.' })

/** A voice of a server. The settings supply what the server does not report: the gender and usually the language. */
export type ServerVoice = DeepReadonly<z.infer<typeof voicesSchema>[number]>

function isAddress(text: string): boolean {
  const address = URL.parse(text)
  if (!address || !/^https?:$/.test(address.protocol)) return false
  return !address.username && !address.password && !address.search && !address.hash
}
