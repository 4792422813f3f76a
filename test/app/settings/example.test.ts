import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configSchema } from '../../../src/app/settings/cross-checks.ts'
import { KEYS } from '../../../src/app/settings/keys.ts'
import { loadConfig } from '../../../src/app/settings/load.ts'

const PATH = new URL('../../../dragoman.example.yaml', import.meta.url).pathname
const text = readFileSync(PATH, 'utf8')

/** The example with its commented settings enabled. */
function uncommented(): Record<string, unknown> {
  const names = new Set(KEYS.flatMap(key => key.path.split('.')))
  const lines = text.replace('numbers: {}', 'numbers:').split('\n')
  const setting = (line: string) => /^(\s*)# ( *)"?([\w+]+)"?:/.exec(line)
  return parse(
    lines
      .map(line => {
        const found = setting(line)
        const isSetting = found && (names.has(found[3]!) || found[3]!.startsWith('+'))
        return isSetting ? line.replace('# ', '') : line
      })
      .join('\n'),
  )
}

function at(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((table, part) => (table as Record<string, unknown> | undefined)?.[part], values)
}

describe('dragoman.example.yaml', () => {
  it('shows every setting', () => {
    const shown = uncommented()
    expect(KEYS.map(key => key.path).filter(path => at(shown, path) === undefined)).toEqual([])
  })

  it('shows the defaults', () => {
    const { file, ...shown } = loadConfig({ file: PATH, env: {} })
    const { file: none, ...defaults } = loadConfig({ env: {} })
    expect(shown).toEqual(defaults)
    expect(file).toBe(PATH)
    expect(none).toBeUndefined()
  })

  it('writes out every default instead of omitting it', () => {
    const written = parse(text)
    const { maxSessions } = loadConfig({ env: {} }).embedded // depends on the machine
    expect(maxSessions).toBeGreaterThan(1)
    const missing = KEYS.filter(
      ({ shape, path }) =>
        // An optional table as a whole.
        !path.startsWith('fleet.nats.') && shape.default !== undefined && at(written, path) === undefined,
    )
    expect(missing.map(key => key.path)).toEqual(['embedded.apiKeys', 'embedded.maxSessions'])
  })

  it('contains valid settings in comments', () => {
    expect(configSchema.safeParse(uncommented()).error?.issues).toBeUndefined()
  })
})
