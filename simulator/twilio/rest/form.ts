import { RestError, type RestErrorCode } from './rest-errors.ts'

/** Formats `ms` since 1970 like the 2010 API (RFC 2822): `Sat, 21 Nov 2026 05:28:11 +0000`. */
export function apiDate(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000')
}

/** Maximum number of values read of one field. */
const MOST = 100

/** The fields of a request, from a form or a query. Names are PascalCase, as in the API. */
export class Form {
  readonly #fields: URLSearchParams

  constructor(text: string | URLSearchParams) {
    this.#fields = new URLSearchParams(text)
  }

  has(name: string): boolean {
    return this.#fields.has(name)
  }

  /** The first value; undefined if absent. An empty value counts. */
  get(name: string): string | undefined {
    return this.#fields.get(name) ?? undefined
  }

  /** Like `get`, but an empty value counts as absent. */
  given(name: string): string | undefined {
    return this.get(name) || undefined
  }

  /** A copy of all fields. */
  copy(): URLSearchParams {
    return new URLSearchParams(this.#fields)
  }

  all(name: string): string[] {
    return this.#fields.getAll(name).slice(0, MOST)
  }

  /** One of `allowed`; throws `RestError` `code` for anything else. */
  choice<T extends string>(name: string, allowed: readonly T[], code: RestErrorCode): T | undefined {
    const value = this.given(name)
    if (value === undefined) return undefined
    const found = allowed.find(each => each.toLowerCase() === value.toLowerCase())
    if (found === undefined) throw new RestError(code, value)
    return found
  }

  /** A whole number from `least` to `most`; throws `RestError` `code` for anything else. */
  whole(name: string, least: number, most: number, code: RestErrorCode): number | undefined {
    const value = this.given(name)
    if (value === undefined) return undefined
    const number = Number(value)
    if (!/^\d{1,9}$/.test(value) || number < least || number > most)
      throw new RestError(code, `${name} ${value}`)
    return number
  }

  /** An absolute http or https address; throws `RestError` `code` for anything else. */
  url(name: string, code: RestErrorCode): string | undefined {
    const value = this.given(name)
    if (value === undefined || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value
    throw new RestError(code, value)
  }

  /** All fields, for the request log: a repeated one has several values. */
  toObject(): Record<string, string | string[]> {
    const object: Record<string, string | string[]> = Object.create(null) as Record<string, string>
    for (const name of new Set(this.#fields.keys())) {
      const values = this.all(name)
      object[name] = values.length === 1 ? (values[0] ?? '') : values
    }
    return { ...object }
  }
}
