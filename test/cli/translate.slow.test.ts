import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../../src/app/settings/load.ts'
import { Terminal } from '../../src/cli/terminal.ts'
import { translate } from '../../src/cli/translate.ts'
import { FakeOpenAi } from '../support/engines/fake-openai.ts'
import { WAV } from '../support/service/batch-failures.ts'
import { fakeService, KEY } from '../support/service/fake-service.ts'
import { quickEngines } from '../support/service/instant-recognizer.ts'
import { decoded } from '../support/service/real-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-translate-'))
const at = (name: string) => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

/** The content of standard output. */
let printed = ''
beforeEach(() => {
  printed = ''
  vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    printed += String(text)
    return true
  })
})
afterEach(() => void vi.restoreAllMocks())

/** Runs the command with a service of quick engines, and returns its output. */
async function run(name: string, content: string | Uint8Array, more: object = {}, columns?: number) {
  writeFileSync(at(name), content)
  const { url } = await fakeService({}, { engines: quickEngines().engines })
  const config = loadConfig({ env: {}, overrides: { service: { url, apiKey: KEY } } })
  let shown = ''
  const screen = {
    isTTY: columns !== undefined,
    columns: columns ?? 80,
    write(text: string) {
      shown += text
      return true
    },
  }
  const options = { file: at(name), from: 'en-us', to: 'es-es', output: at(`${name}.mp3`), ...more }
  const code = await translate(options, config, new Terminal(screen as never)).catch(
    (error: Error) => error.message,
  )
  return { code, shown }
}

test('converts a recording to text and voice', async () => {
  const { code, shown } = await run('one.wav', WAV)
  expect(code).toBe(0)
  expect(shown).toMatch(
    /^en-us {2}hello world\nes-es {2}HELLO WORLD\nVoice: .*one\.wav\.mp3\nTook \d+\.\d s\n$/,
  )
  expect(decoded(readFileSync(at('one.wav.mp3'))).ms).toBeGreaterThan(200)
})

test('translates text line by line', async () => {
  const { code, shown } = await run('two.txt', 'good morning\n\ngood night')
  expect(code).toBe(0)
  expect(shown).toContain('es-es  GOOD MORNING\nes-es  \nes-es  GOOD NIGHT\n')
  expect(existsSync(at('two.txt.mp3'))).toBe(false)
})

test('--mode and --json', async () => {
  await run('three.wav', WAV, { mode: 'stt', json: true })
  expect(JSON.parse(printed)).toEqual({ mode: 'stt', text: 'hello world', ms: expect.any(Number) })
  printed = ''
  await run('four.txt', 'HI', { mode: 'tts', json: true })
  expect(JSON.parse(printed)).toEqual({ mode: 'tts', output: at('four.txt.mp3'), ms: expect.any(Number) })
})

test('prints the service’s message about a file verbatim, and removes the changing line', async () => {
  const { code, shown } = await run('five.wav', 'no sound', {}, 80)
  expect(code).toContain('bad_file/format_unknown')
  expect(shown.endsWith('\u001b[2K') || shown === '').toBe(true)
})

test('starts a service if none is configured', async () => {
  const file = new URL('../../recordings/sense-and-sensibility-5.wav', import.meta.url).pathname
  const config = loadConfig({ env: {} })
  const options = { file, from: 'en-us', to: 'es-es', output: at('five.mp3'), json: true }
  expect(await translate(options, config, new Terminal(process.stderr))).toBe(0)
  const { text, translation } = JSON.parse(printed) as Record<string, string>
  expect(text).toContain('amiable')
  expect(translation).toMatch(/\w+/)
  expect(decoded(readFileSync(at('five.mp3'))).ms).toBeGreaterThan(1000)
})

test('names an engine that failed, and the one used instead', async () => {
  const server = await new FakeOpenAi().listen()
  server.rejects = ['model']
  const choice = { engine: 'openai' as const, url: server.url, model: 'm', languages: ['en-us', 'es-es'] }
  const config = loadConfig({ env: {}, overrides: { embedded: { engines: { translation: [choice] } } } })
  writeFileSync(at('six.txt'), 'the house is small')
  const options = { file: at('six.txt'), from: 'en-us', to: 'es-es', json: true }
  expect(await translate(options, config, new Terminal(process.stderr))).toBe(0)
  const { translation, warnings } = JSON.parse(printed) as { translation: string; warnings: string[] }
  expect(translation).toMatch(/casa/i)
  expect(warnings).toEqual([
    'translation: openai-chat: answered 400 (unsupported_parameter); apertium was used instead',
  ])
})
