import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { placeCall } from '../../simulator/twilio/phone/call.ts'
import { readManifest } from '../../src/service/engines/local/installed-models.ts'
import { hears } from '../support/e2e/phone-listener.ts'
import { ctcFiles, transducerFiles } from '../support/engines/sherpa/streaming-tone-models.ts'
import { HAS_SHERPA } from '../support/engines/sherpa/tone-engines.ts'
import { pitchOf, type ToneWord, tones, WORDS } from '../support/engines/sherpa/tone-words.ts'
import { vadModel, voiceFiles } from '../support/engines/sherpa/utterance-tone-models.ts'
import { tinyMarian } from '../support/engines/tiny-marian.ts'
import { Mirror, sha256 } from '../support/models/mirror.ts'
import { Shell } from '../support/shell.ts'
import { until } from '../support/until.ts'

const PATIENCE_MS = 60_000
/**
 * Words and their translations, below 3.4 kHz, which telephones transmit. Nobody says words that they have just heard:
 * that would be an echo.
 */
const TO_SPANISH = { one: 'three', two: 'four', six: 'two', five: 'one' }
const TO_ENGLISH = { five: 'three', six: 'four' }

type Files = Readonly<Record<string, string | Uint8Array>>

/** A mirror with models of two tone languages, and a catalog of its own. */
async function toneMirror(): Promise<Mirror> {
  const mirror = await Mirror.start()
  const model = (
    name: string,
    kind: string,
    languages: readonly string[],
    files: Files,
    more: object = {},
  ) => ({
    ...{ name, kind, languages, license: 'MIT', memory: 50_000_000, unpacked: 1_000_000 },
    source: 'https://example.invalid/',
    ...more,
    files: Object.entries(files).map(([path, content]) => {
      const packed = gzipSync(content)
      mirror.files.set(`${name}/${path}.gz`, packed)
      const addresses = [`https://example.invalid/1/${path}.gz`]
      return { addresses, bytes: packed.length, sha256: sha256(packed), unpack: 'gz' }
    }),
  })
  const models = [
    model('tones-en', 'transcription', ['en'], ctcFiles(), { streaming: true }),
    model('tones-es', 'transcription', ['es'], transducerFiles(), { streaming: true }),
    model('silero_vad', 'detection', [], { 'silero_vad.onnx': vadModel() }),
    model('voice-en', 'synthesis', ['en-us'], voiceFiles(), { voices: [{ name: 'a', gender: 'F' }] }),
    model('voice-es', 'synthesis', ['es-es'], voiceFiles(), { voices: [{ name: 'b', gender: 'M' }] }),
    model('firefox-en-es', 'translation', ['en', 'es'], tinyMarian(TO_SPANISH)),
    model('firefox-es-en', 'translation', ['es', 'en'], tinyMarian(TO_ENGLISH)),
  ]
  mirror.files.set('catalog.json', Buffer.from(JSON.stringify({ version: 1, models })))
  return mirror
}

const pitches = (text: string) =>
  text.split(' ').map(word => pitchOf(WORDS.findIndex(each => each.toLowerCase() === word)))

describe.skipIf(!HAS_SHERPA)('models from a mirror', () => {
  test('are installed by one command, and two phones in two tone languages understand each other', async () => {
    await using mirror = await toneMirror()
    await using shell = await Shell.open()
    const folder = join(shell.folder, 'models')
    const variables = { DRAGOMAN_MODELS_URL: mirror.url }

    // Killed in the middle of the first file.
    mirror.breaks.push(undefined, 500)
    const killed = shell.startWith(variables, 'models', 'add', 'en', 'es', '--yes')
    await until(() => mirror.requests.length >= 2, PATIENCE_MS, 'the first download')
    await killed.end('SIGKILL')
    expect((await readManifest(folder)).models).toEqual([])
    const add = shell.startWith(variables, 'models', 'add', 'en', 'es', '--yes')
    expect(await add.ended, add.err).toBe(0)
    expect(add.out).toMatch(/MIT[\s\S]*to download, .* of space .* of memory/)
    expect((await readManifest(folder)).models).toHaveLength(7)

    const serving = shell.start('serve', '--port', '0', '--insecure')
    const [, address = ''] = await serving.says(/on the line at (http:\S+)/)
    const call = (language: string) => {
      const wishes = new URLSearchParams({ room: 'desk', speaks: language, hears: language, original: 'off' })
      return placeCall({ webhook: `${address}/twilio/voice?${wishes}`, allowInsecureStream: true })
    }
    await using anna = await call('en-us')
    await using bruno = await call('es-es')
    const understands = async (speaker: typeof anna, said: string, listener: typeof anna, heard: string) => {
      await speaker.say(tones(said as ToneWord), 16_000)
      const all = () => pitches(heard).every(hz => hears(listener.heard(), hz))
      await until(all, PATIENCE_MS, `hearing ${heard}`)
      for (const hz of pitches(said)) expect(hears(listener.heard(), hz)).toBe(false)
    }
    await understands(anna, 'one two', bruno, 'three four')
    await understands(bruno, 'five six', anna, 'three four')

    // Removed while in use: the call goes on with what is loaded.
    const remove = await shell.run('models', 'remove', 'en', 'es')
    expect(remove.code, remove.err).toBe(0)
    expect(existsSync(join(folder, 'tones-en'))).toBe(false)
    await understands(anna, 'six five', bruno, 'two one')
    await Promise.all([anna.hangUp(), bruno.hangUp()])
    expect(await serving.end('SIGTERM'), serving.err).toBe(0)
  })

  test('without a network, one line says so, with the variable', async () => {
    await using shell = await Shell.open()
    const add = shell.startWith(
      { DRAGOMAN_MODELS_URL: 'http://127.0.0.1:1/' },
      'models',
      'add',
      'en',
      '--yes',
    )
    expect(await add.ended).toBe(1)
    expect(add.err.trim()).toMatch(/^cannot reach 127\.0\.0\.1:1 \(.*\);.* DRAGOMAN_MODELS_URL .*$/)
  })

  test('a check loads each model, and names what is broken', async () => {
    await using mirror = await toneMirror()
    await using shell = await Shell.open()
    const add = shell.startWith({ DRAGOMAN_MODELS_URL: mirror.url }, 'models', 'add', 'en', 'es', '--yes')
    expect(await add.ended, add.err).toBe(0)
    const whole = await shell.run('models', 'check', '--json')
    expect(whole.code, whole.out).toBe(0)
    const loaded = JSON.parse(whole.out).engines.map(({ result }: { result: string }) => result)
    expect(loaded).toEqual(Array(5).fill(expect.stringMatching(/^loaded in \d+\.\d s$/)))

    // The same size, another content.
    const model = join(shell.folder, 'models', 'firefox-en-es', 'model.tiny.intgemm8.bin')
    await writeFile(model, (await readFile(model)).fill(7))
    const { code, out } = await shell.run('models', 'check', '--json')
    expect(code).toBe(1)
    const { models, engines } = JSON.parse(out)
    expect(models.filter(({ files }: { files: string }) => files !== 'ok')).toMatchObject([
      { name: 'firefox-en-es', files: 'model.tiny.intgemm8.bin is damaged' },
    ])
    expect(engines.filter(({ ok }: { ok: boolean }) => !ok)).toMatchObject([
      {
        engine: 'translation/firefox',
        result: expect.stringMatching(/^firefox: cannot load the model en-es: /),
      },
    ])
    expect(out).not.toContain(shell.folder)
  })
})
