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

  it('on-this-machine.yaml uses no server elsewhere and no key', () => {
    const { transcription, translation, synthesis } = loadConfig({
      env: {},
      file: new URL('on-this-machine.yaml', EXAMPLES).pathname,
    }).embedded.engines
    for (const choice of [...transcription, ...translation, ...synthesis]) {
      if ('url' in choice) expect(new URL(choice.url).hostname).toBe('127.0.0.1')
      expect('apiKey' in choice ? choice.apiKey : undefined).toBeUndefined()
    }
    expect(transcription.map(({ engine }) => engine)).toEqual(['sherpa', 'sherpa'])
    expect(synthesis.map(({ engine }) => engine)).toEqual(['sherpa', 'sherpa', 'sherpa', 'sherpa'])
  })
})
