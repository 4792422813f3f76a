import type { z } from 'zod'

/** Parses JSON; returns undefined for anything else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a JSON value that matches `schema`; returns undefined for anything else. */
export function parseJsonAs<T>(text: string, schema: z.ZodType<T>): T | undefined {
  return schema.safeParse(parseJson(text)).data
}
