import { z } from 'zod'
import * as registry from '../../src/service/engines/registry.ts'
import { code, head, table } from './markdown.ts'

const KINDS = {
  transcription: 'Speech to text',
  translation: 'Text to text',
  synthesis: 'Text to speech',
  interpretation: 'Speech to speech',
} as const

/** The part of a schema that the page shows. */
interface Described {
  readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>
  readonly required?: readonly string[]
}

/** Fields with their own column, or the same for all. */
const SHOWN = ['engine', 'url', 'model', 'apiKey', 'apiKeyFile', 'price', 'budget']

/** Every engine of the registry: where it runs, the variable of its key, its model, and what its entry needs. */
export function enginesPage(): string {
  const engines = Object.values(registry)
  const parts = Object.entries(KINDS).map(([kind, title]) => {
    const rows = engines
      .filter(engine => engine.kind === kind)
      .map(engine => {
        const { properties = {}, required = [] } = z.toJSONSchema(engine.schema, { io: 'input' }) as Described
        const { url, model } = properties
        const field: unknown = 'url' in engine.schema.shape ? engine.schema.shape.url : undefined
        const address = field instanceof z.ZodDefault ? String(field.def.defaultValue) : 'your server'
        const where = url === undefined ? 'this machine' : address
        const needs = required.filter(name => name !== 'engine')
        const others = Object.entries(properties).filter(([name]) => ![...SHOWN, ...required].includes(name))
        const defaults = others.map(([name, field]) =>
          ['string', 'number', 'boolean'].includes(typeof field.default)
            ? `${code(name)} ${field.default}`
            : code(name),
        )
        return [
          code(engine.schema.shape.engine.value),
          where,
          'key' in engine && engine.key ? code(engine.key.variable) : '',
          typeof model?.default === 'string' ? code(model.default) : '',
          needs.map(code).join(', '),
          defaults.join(', '),
        ]
      })
    const heads = ['engine', 'runs at', 'variable of the key', 'model', 'required', 'others, with defaults']
    return `## ${title}: ${code(kind)}\n\n${table(heads, rows)}`
  })
  const about = [
    'The entries of the lists `embedded.engines.<kind>`. What each of them does is in [engines](../service/engines.md) and',
    '[hosted engines](../service/hosted-engines.md), the meaning of their settings in [settings](settings.md). Engines at a',
    'server also have `url`, `apiKey`, `apiKeyFile`, `price` and `budget`.',
  ].join('\n')
  return [head('Engines', about), ...parts].join('\n')
}
