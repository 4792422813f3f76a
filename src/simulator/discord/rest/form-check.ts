import type { Json } from '../json.ts'
import { ApiError } from './api-error.ts'

type Path = readonly (string | number)[]
type Node = { [key: string | number]: unknown }

/** Collects the faults of a body, as the tree in Discord's responses (Discord: Error Messages). */
export class FormCheck {
  readonly #tree = node()
  #count = 0

  /** Number of faults. */
  get faults(): number {
    return this.#count
  }

  fault(path: Path, code: string, message: string): void {
    this.#count++
    let at = this.#tree
    for (const step of path) {
      const next = (at[step] ?? node()) as Node
      at[step] = next
      at = next
    }
    const errors = (at._errors ?? []) as unknown[]
    at._errors = [...errors, { code, message }]
  }

  required(path: Path): void {
    this.fault(path, 'BASE_TYPE_REQUIRED', 'This field is required')
  }

  choice(path: Path, value: unknown, allowed: readonly (string | number)[]): void {
    const words = allowed.map(each => `'${each}'`).join(', ')
    this.fault(path, 'BASE_TYPE_CHOICES', `Value ${quoted(value)} must be one of (${words}).`)
  }

  /** Returns a string of `least` to `most` characters; undefined if it is absent or invalid. */
  text(
    json: Json,
    key: string,
    path: Path,
    { least = 0, most, required = false }: { least?: number; most: number; required?: boolean },
  ): string | undefined {
    const value = json[key]
    const here = [...path, key]
    if (value === undefined || value === null) {
      if (required) this.required(here)
      return undefined
    }
    if (typeof value !== 'string') {
      this.fault(here, 'BASE_TYPE_BAD_STRING', 'Could not interpret value as string.')
      return undefined
    }
    const length = Array.from(value).length
    if (required && length === 0 && least > 0) this.required(here)
    else if (length < least || length > most) this.length(here, least, most)
    return value
  }

  length(path: Path, least: number, most: number): void {
    if (least === 0) this.fault(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${most} or fewer in length.`)
    else this.fault(path, 'BASE_TYPE_BAD_LENGTH', `Must be between ${least} and ${most} in length.`)
  }

  /** Returns the objects of a list of at most `most`; undefined if absent. */
  list(json: Json, key: string, path: Path, most: number): readonly unknown[] | undefined {
    const value = json[key]
    const here = [...path, key]
    if (value === undefined || value === null) return undefined
    if (!Array.isArray(value)) {
      this.fault(here, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')
      return undefined
    }
    if (value.length > most) this.length(here, 0, most)
    return value
  }

  flag(json: Json, key: string, path: Path): void {
    const value = json[key]
    if (value !== undefined && value !== null && typeof value !== 'boolean')
      this.fault([...path, key], 'BOOLEAN_TYPE_CONVERT', 'Must be either true or false.')
  }

  notAnObject(path: Path): void {
    this.fault(path, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType')
  }

  /** Throws 50035 if there was a fault. */
  end(): void {
    if (this.#count > 0) throw ApiError.form(this.#tree)
  }
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(JSON.stringify(value))
}

/** Without a prototype, because its keys come from outside. */
function node(): Node {
  return Object.create(null) as Node
}
