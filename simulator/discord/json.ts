/** A JSON object of unknown structure. */
export interface Json {
  readonly [key: string]: unknown
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The entry if it is a string. */
export function stringIn(json: Json, key: string): string | undefined {
  const value = json[key]
  return typeof value === 'string' ? value : undefined
}

export function numberIn(json: Json, key: string): number | undefined {
  const value = json[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The objects of a list; other items are skipped, and a value that is not a list counts as empty. */
export function objectsIn(json: Json, key: string): readonly Json[] {
  const value = json[key]
  return Array.isArray(value) ? value.filter(isJson) : []
}
