import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/app/settings/load.ts'

const EXAMPLES = new URL('../../examples/', import.meta.url)
const files = readdirSync(EXAMPLES).filter(name => name.endsWith('.yaml'))

describe('settings files of the examples', () => {
  it.each(files)('%s is accepted', name => {
    const file = new URL(name, EXAMPLES).pathname
    const { embedded } = loadConfig({ env: {}, file })
    expect(embedded.engines).toBeDefined()
  })

  it('one-hosted-key.yaml takes the key from the variable of its provider, and limits the cost', () => {
    const { interpretation } = loadConfig({
      env: { OPENAI_API_KEY: 'sk-test' },
      file: new URL('one-hosted-key.yaml', EXAMPLES).pathname,
    }).embedded.engines
    expect(interpretation).toMatchObject([{ engine: 'openai', apiKey: 'sk-test', budget: { perDay: 20 } }])
  })
})
