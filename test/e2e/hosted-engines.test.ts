import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { placeCall } from '../../src/simulator/index.ts'
import { loudness } from '../../src/transcode/level.ts'
import { FAKE_KEY } from '../harness/engines/live/fake-live-server.ts'
import { FakeOpenAiRealtime } from '../harness/engines/live/fake-openai-realtime.ts'
import { TONE_WORDS } from '../harness/engines/live/tone-ears.ts'
import { Shell } from '../harness/shell.ts'
import { sine } from '../harness/transcode/tone.ts'
import { until } from '../harness/until.ts'

const PATIENCE_MS = 60_000
const LINE_RATE = 8_000

let shell: Shell
beforeEach(async () => {
  shell = await Shell.open()
})
afterEach(() => shell[Symbol.asyncDispose]())

/** Settings with one hosted engine, as on a machine without any Debian package of a local one. */
function onlyHosted(url: string): object {
  const missing = { enabled: false }
  const installed = { pocketsphinx: missing, apertium: missing, espeak: missing, flite: missing }
  const interpretation = [{ engine: 'openai', url, apiKey: FAKE_KEY, languages: ['en-us', 'es-es'] }]
  return { twilio: { insecure: true }, embedded: { engines: { ...installed, interpretation } } }
}

test('one key of a hosted service is enough: a caller hears the translation', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const hosted = await new FakeOpenAiRealtime().listen()
  const config = join(shell.folder, 'dragoman.yaml')
  await writeFile(config, stringify(onlyHosted(hosted.url)))
  const serving = shell.start('serve', '--port', '0', '--config', config)
  const [, address = ''] = await serving.says(/on the line at (\S+)/)
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
