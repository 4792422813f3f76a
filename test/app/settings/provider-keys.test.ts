import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/app/settings/load.ts'

const ENV = { OPENAI_API_KEY: 'sk-openai', DEEPL_API_KEY: 'deepl-key', DEEPGRAM_API_KEY: 'dg-key' }
const LANGUAGES = ['en-us', 'es-es']

/** The engines of the settings with these lists. */
function engines(lists: object, env: Record<string, string> = ENV) {
  const settings = Object.fromEntries(
    Object.entries(lists).map(([kind, list]) => [
      `DRAGOMAN_EMBEDDED_ENGINES_${kind.toUpperCase()}`,
      JSON.stringify(list),
    ]),
  )
  return loadConfig({ env: { ...env, ...settings } }).embedded.engines
}

describe('the key of an engine', () => {
  test('comes from the variable of its provider', () => {
    const { interpretation, translation, transcription } = engines({
      interpretation: [{ engine: 'openai', languages: LANGUAGES }],
      translation: [{ engine: 'deepl', languages: LANGUAGES }],
      transcription: [{ engine: 'deepgram', languages: LANGUAGES }],
    })
    expect(interpretation[0]).toMatchObject({ apiKey: 'sk-openai' })
    expect(translation[0]).toMatchObject({ apiKey: 'deepl-key' })
    expect(transcription[0]).toMatchObject({ apiKey: 'dg-key' })
  })

  test('is the one of the settings, if there is one', () => {
    const list = [
      { engine: 'openai', languages: LANGUAGES, apiKey: 'own' },
      { engine: 'openai', languages: LANGUAGES, apiKeyFile: '/run/secrets/key' },
    ]
    expect(engines({ interpretation: list }).interpretation).toMatchObject([
      { apiKey: 'own' },
      { apiKeyFile: '/run/secrets/key' },
    ])
    expect(engines({ interpretation: list }).interpretation[1]).not.toHaveProperty('apiKey')
  })

  test('is never that of a provider at another server', () => {
    const { translation, transcription } = engines({
      translation: [{ engine: 'openai', url: 'http://127.0.0.1:8000', model: 'm', languages: LANGUAGES }],
      transcription: [
        { engine: 'openai', url: 'https://api.openai.com.example.net', model: 'm', languages: LANGUAGES },
      ],
    })
    expect(translation[0]).not.toHaveProperty('apiKey')
    expect(transcription[0]).not.toHaveProperty('apiKey')
  })

  test('stays absent without a variable', () => {
    const list = [{ engine: 'openai', languages: LANGUAGES }]
    expect(engines({ interpretation: list }, { OPENAI_API_KEY: '' }).interpretation[0]).not.toHaveProperty(
      'apiKey',
    )
  })
})
