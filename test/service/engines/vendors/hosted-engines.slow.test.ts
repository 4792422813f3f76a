import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { placeCall } from '../../../../simulator/index.ts'
import { ScriptedRecognizer } from '../../../../src/cli/demo/scripts.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { FakeOpenAiRealtime } from '../../../support/engines/live/fake-openai-realtime.ts'
import { TONE_WORDS } from '../../../support/engines/live/tone-ears.ts'
import { Shell } from '../../../support/shell.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const PATIENCE_MS = 60_000
const LINE_RATE = 8_000

let shell: Shell
beforeEach(async () => {
  shell = await Shell.open()
})
afterEach(() => shell[Symbol.asyncDispose]())

/** Hides what the Debian packages of the offline engines install, as on a machine without them. */
const WITHOUT_PACKAGES = {
  DRAGOMAN_EMBEDDED_ENGINES_POCKETSPHINX_MODELS: '/absent/models',
  DRAGOMAN_EMBEDDED_ENGINES_APERTIUM_MODES: '/absent/modes',
  DRAGOMAN_EMBEDDED_ENGINES_ESPEAK_ENABLED: 'false',
}

/** The settings file of the guide, at the fake and with its key. */
async function hostedSettings(url: string): Promise<object> {
  const file = new URL('../../../../examples/one-hosted-key.yaml', import.meta.url)
  const settings = parse(await readFile(file, 'utf8'))
  const [engine] = settings.embedded.engines.interpretation
  Object.assign(engine, { url, apiKey: FAKE_KEY })
  return { ...settings, twilio: { insecure: true } }
}

test('the settings file with one hosted key is enough: a caller hears the translation', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const hosted = await new FakeOpenAiRealtime().listen()
  const config = join(shell.folder, 'dragoman.yaml')
  await writeFile(config, stringify(await hostedSettings(hosted.url)))
  const serving = shell.startWith(WITHOUT_PACKAGES, 'serve', '--port', '0', '--config', config)
  const [, address = ''] = await serving.says(/on the line at (\S+)/)
  await serving.says(/engines +openai/)
  expect(serving.out).toMatch(/speech understood in en-us, es-es, pt-br, fr-fr, de-de/)
  expect(serving.out).not.toMatch(/pocketsphinx|apertium|espeak/)
  const phone = await placeCall({
    webhook: `${address}/twilio/voice?speaks=en-us&hears=es-es`,
    allowInsecureStream: true,
  })
  await until(() => hosted.sockets.size > 0, PATIENCE_MS, 'a connection to the hosted service')
  const [first, second] = TONE_WORDS
  await phone.say(sine(first.hz, 600, 8_000, LINE_RATE), LINE_RATE)
  await new Promise(resolve => setTimeout(resolve, 1_500))
  await phone.say(sine(second.hz, 600, 8_000, LINE_RATE), LINE_RATE)
  const heardMs = (hz: number) => {
    const heard = phone.heard()
    let ms = 0
    for (let at = 0; at + 160 <= heard.length; at += 160)
      if (loudness(heard.subarray(at, at + 160), hz, LINE_RATE) > 800) ms += 20
    return ms
  }
  await until(
    () => heardMs(first.spokenHz) > 400 && heardMs(second.spokenHz) > 400,
    PATIENCE_MS,
    'both translations',
  )
  expect(phone.report().errors).toEqual([])
  expect(hosted.refusals).toEqual([])
  await phone.hangUp()
  expect(await serving.end('SIGTERM')).toBe(0)
  expect(`${serving.out}${serving.err}`).not.toContain(FAKE_KEY)
})

test('the demo with --engines uses the engines of the settings', { timeout: 2 * PATIENCE_MS }, async () => {
  const text = 'the front desk is closed'
  await using recognizer = await ScriptedRecognizer.listen([text])
  const engine = {
    engine: 'openai',
    url: recognizer.url,
    model: 'script',
    languages: ['en-us'],
    pauseMs: 600,
  }
  const vocabulary = { glossary: [{ 'en-us': 'front desk', 'es-es': 'conserjería' }] }
  const config = join(shell.folder, 'dragoman.yaml')
  await writeFile(config, stringify({ embedded: { vocabulary, engines: { transcription: [engine] } } }))
  const output = join(shell.folder, 'heard.wav')
  const audio = fileURLToPath(new URL('../../../../recordings/sense-and-sensibility-2.wav', import.meta.url))
  const flags = ['--engines', '--config', config, '--audio', audio, '--output', output, '--json']
  const { code, out, err } = await shell.run('demo', ...flags)
  expect(code, err).toBe(0)
  const { captions } = JSON.parse(out)
  expect(captions[0]).toMatchObject({ text, translation: expect.stringContaining('conserjería') })
  expect(err).toMatch(/engines +openai-transcription, pocketsphinx → apertium → espeak/)
})
