import { checkChoice } from '../command/option-check.ts'
import { isJson, type Json, objectsIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import { FormCheck } from '../rest/form-check.ts'
import type { Choice } from './reply.ts'

const MOST = 25

/** Reads the choices of an autocomplete response, for an option of this type. Throws `ApiError`. */
export function readChoices(data: unknown, optionType: unknown): readonly Choice[] {
  if (!isJson(data)) throw ApiError.of(50035)
  const check = new FormCheck()
  const choices = check.list(data, 'choices', ['data'], MOST)
  if (!choices) check.required(['data', 'choices'])
  for (const [at, choice] of (choices ?? []).entries())
    checkChoice(choice, optionType, ['data', 'choices', at], check)
  check.end()
  return objectsIn(data, 'choices').map(({ name, value }: Json) => ({ name, value }) as Choice)
}
