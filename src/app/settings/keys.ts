import { z } from 'zod'
import { SECRETS, settingsSchema } from './schema.ts'

/** The part of JSON Schema that the settings’ schema uses. */
export interface Shape {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  /** Alternatives: list entries distinguished by a discriminator key. */
  readonly oneOf?: readonly Shape[]
  readonly anyOf?: readonly Shape[]
}

/** A setting that holds a value: a number, a text, a list, or a table with user-defined keys. */
export interface Key {
  /** `twilio.authToken` */
  readonly path: string
  /** `DRAGOMAN_TWILIO_AUTH_TOKEN` */
  readonly variable: string
  readonly secret: boolean
  readonly shape: Shape
}

/** The settings as JSON Schema. */
const SHAPE = z.toJSONSchema(settingsSchema, { io: 'input' }) as Shape

/** Every setting, in the schema's order. */
export const KEYS: readonly Key[] = leaves(SHAPE, [])

/** `twilio.authToken` → `DRAGOMAN_TWILIO_AUTH_TOKEN`. */
export function variableOf(path: string): string {
  const words = path.replaceAll('.', '_').replace(/([a-z0-9])([A-Z])/g, '$1_$2')
  return `DRAGOMAN_${words.toUpperCase()}`
}

/** Returns true if the value at `path`, or part of it, is secret. */
export function isSecret(path: string): boolean {
  return SECRETS.some(name => path === name || path.startsWith(`${name}.`))
}

/** Returns the schema at `path`, or undefined if there is no such key. */
export function shapeAt(path: readonly PropertyKey[]): Shape | undefined {
  let shape: Shape | undefined = SHAPE
  for (const part of path) shape = child(shape, part)
  return shape
}

/** Describes the values that `shape` allows. */
export function allowedBy(shape: Shape): string {
  if (shape.description) return shape.description
  if (shape.enum) return `one of ${shape.enum.join(', ')}`
  switch (shape.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
    case 'number':
      return numberAllowed(shape)
    case 'array':
      return `a list; each item is ${allowedBy(shape.items ?? {})}`
    case 'object':
      return shape.properties ? `these keys: ${Object.keys(shape.properties).join(', ')}` : 'a table'
    default:
      return 'a text'
  }
}

function numberAllowed({ type, minimum, maximum }: Shape): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (minimum !== undefined && most !== undefined) return `${kind} from ${minimum} to ${most}`
  if (minimum !== undefined) return `${kind} from ${minimum}`
  return `${kind}`
}

/** Returns the keys that a table of `shape` can have in any of its alternatives. */
export function propertiesOf(shape: Shape | undefined): Readonly<Record<string, Shape>> {
  const variants = shape?.oneOf ?? shape?.anyOf ?? []
  return Object.assign({}, ...variants.map(propertiesOf), shape?.properties)
}

function child(shape: Shape | undefined, part: PropertyKey): Shape | undefined {
  if (typeof part === 'number') return shape?.items
  const { additionalProperties } = shape ?? {}
  const properties = propertiesOf(shape)
  if (typeof part === 'string' && Object.hasOwn(properties, part)) return properties[part]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function leaves(shape: Shape, path: readonly string[]): Key[] {
  if (shape.properties)
    return Object.entries(shape.properties).flatMap(([name, below]) => leaves(below, [...path, name]))
  const key = path.join('.')
  return [{ path: key, variable: variableOf(key), secret: isSecret(key), shape }]
}
