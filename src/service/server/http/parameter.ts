import type { LanguageId } from '../../../common/language.ts'
import type { ErrorName } from '../error-table.ts'
import { language, oneOf, type Query, several, single } from '../query.ts'

/** A request parameter, used both to validate a request (below) and to describe it (`openapi.ts`). */
export interface Parameter<T extends string = string> {
  readonly name: string
  readonly about: string
  readonly example?: string
  /** It is required. */
  readonly needed?: boolean
  /** It is repeatable. */
  readonly repeated?: boolean
  /** `language`: an identifier; `json`: a JSON object as text; `text`: any. */
  readonly form: 'choice' | 'language' | 'json' | 'text'
  /** The allowed values of a choice, and the error for any other. */
  readonly allowed?: readonly T[]
  readonly error?: ErrorName
}

/** A parameter with a fixed set of values. */
export interface Choice<T extends string = string> extends Parameter<T> {
  readonly form: 'choice'
  readonly allowed: readonly T[]
  readonly error: ErrorName
}

/** Returns the value of `choice` in `query`, undefined when absent. Throws its error for any other value. */
export function chosen<T extends string>(query: Query, choice: Choice<T>): T | undefined {
  const value = single(query, choice.name)
  return value === undefined ? undefined : oneOf(value, choice.allowed, choice.name, choice.error)
}

/** Returns all values of a repeatable `choice`. */
export function chosenAll<T extends string>(query: Query, choice: Choice<T>): T[] {
  return several(query, choice.name).map(value => oneOf(value, choice.allowed, choice.name, choice.error))
}

/** Returns the language identifier of `parameter` in `query`, undefined when absent. */
export function languageIn(query: Query, parameter: Parameter): LanguageId | undefined {
  return language(query, parameter.name)
}
