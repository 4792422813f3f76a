import { z } from 'zod'
import { allowedBy, type Shape } from '../../src/app/settings/keys.ts'
import { code } from './markdown.ts'

/** The part of a JSON Schema that is read here. */
export interface JsonShape extends Shape {
  readonly required?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
}

export function shapeOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonShape {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonShape
}

/** The fields of a JSON table as rows: name, type, default, description. */
export function fieldRows(shape: JsonShape): string[][] {
  const { properties = {}, required = [] } = shape
  return Object.entries(properties).map(([name, each]) => [
    code(name),
    required.includes(name) ? 'yes' : '',
    allowed(each),
    each.default === undefined ? '' : code(JSON.stringify(each.default)),
    each.description ?? '',
  ])
}

/** Type of a value; its description is shown elsewhere. */
function allowed({ description: _, ...shape }: JsonShape): string {
  const { anyOf, oneOf, const: constant } = shape
  const several = anyOf ?? oneOf
  if (constant !== undefined) return code(JSON.stringify(constant))
  if (several) return several.map(allowed).join(' or ')
  if ((shape.type as string) === 'null') return code('null')
  if (shape.type === 'object' && shape.properties) return code(shapeText(shape))
  if (shape.type === 'array') return `a list: ${allowed(shape.items ?? {})}`
  if (shape.type === 'string' && !shape.enum && shape.maxLength !== undefined)
    return `a text, up to ${shape.maxLength} characters`
  return allowedBy(shape)
}

/** Formats a value of `shape` in one line, like a TypeScript type. */
export function shapeText(shape: JsonShape): string {
  const { type, enum: choices, const: constant, anyOf, oneOf, properties, required = [], items } = shape
  const several = anyOf ?? oneOf
  if (constant !== undefined) return JSON.stringify(constant)
  if (choices) return choices.map(each => JSON.stringify(each)).join(' | ')
  if (several) return several.map(shapeText).join(' | ')
  if (type === 'array') return wrapped(shapeText(items ?? {}))
  if (type === 'object') {
    const fields = Object.entries(properties ?? {}).map(
      ([name, each]) => `${name}${required.includes(name) ? '' : '?'}: ${shapeText(each)}`,
    )
    return fields.length === 0 ? 'object' : `{ ${fields.join(', ')} }`
  }
  const kinds = [type as string | readonly string[] | undefined].flat()
  return kinds.map(kind => (kind === 'integer' ? 'number' : (kind ?? 'unknown'))).join(' | ')
}

/** The same over several lines, if it has fields. */
export function shapeLines(shape: JsonShape): string {
  const several = shape.anyOf ?? shape.oneOf
  if (several) return several.map(shapeLines).join('\n| ')
  const { type, properties = {}, required = [] } = shape
  if (type !== 'object' || Object.keys(properties).length === 0) return shapeText(shape)
  const fields = Object.entries(properties).map(
    ([name, each]) => `  ${name}${required.includes(name) ? '' : '?'}: ${shapeText(each)}`,
  )
  return `{\n${fields.join('\n')}\n}`
}

function wrapped(text: string): string {
  return text.includes(' | ') ? `(${text})[]` : `${text}[]`
}
