import { expect, onTestFinished, test } from 'vitest'
import { toneOf, tones } from '../../simulator/service/scripted-answers.ts'
import { ScriptedService } from '../../simulator/service/scripted-service.ts'
import { loudness } from '../../src/transcode/level.ts'
import { Talker } from '../support/browser/page-client.ts'
import { Shell } from '../support/shell.ts'
import { importsOf } from '../support/sources/source-text.ts'
import { quiet, sine } from '../support/transcode/tone.ts'
import { until } from '../support/until.ts'

/** Modules that the page loads into its audio thread, not by imports. */
const WORKLETS = ['capture-worklet', 'playback-worklet'].map(name => `./${name}.ts`)

/** Texts of one language, which the page loads by its name. */
const TEXTS = ['../../messages/en/talk.ts']

/** The page at `address` and every file that it loads, with their texts. */
async function loaded(address: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const load = async (url: string): Promise<void> => {
    if (files.has(url)) return
    files.set(url, '')
    const response = await fetch(url, { headers: { accept: 'text/html,*/*' } })
    expect(response.status, url).toBe(200)
    const text = await response.text()
    files.set(url, text)
    const html = response.headers.get('content-type')?.includes('html')
    const names = html
      ? [...text.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name)
      : url.endsWith('.ts')
        ? [
            ...importsOf(text),
            ...(url.endsWith('/audio.ts') ? WORKLETS : []),
            ...(url.endsWith('/texts.ts') ? TEXTS : []),
          ]
        : []
    await Promise.all(names.map(name => load(new URL(name, url).href)))
  }
  await load(address)
  return files
}

test('a person opens the talk page, speaks, and hears a translation; its scripts and styles are all there', async () => {
  await using service = await ScriptedService.listen({ answer: tones() })
  await using shell = await Shell.open()
  const serving = shell.startWith(
    { DRAGOMAN_SERVICE_URL: service.url, DRAGOMAN_SERVICE_API_KEY: service.apiKey },
    ...['serve', '--port', '0'],
  )
  const [, address = ''] = await serving.says(/^ *talk +(http:\S+)/m)
  const files = await loaded(address)
  expect(files.get(address)).toContain('id="start"')
  const names = [...files.keys()].map(url => new URL(url).pathname)
  for (const name of ['talk.ts', 'jitter-buffer.ts', 'talk.css'])
    expect(names).toContainEqual(expect.stringMatching(`/${name}$`))

  // The page's messages without its browser: test/bridges/browser/talk.slow.test.ts has the real one.
  const anna = await Talker.open(address.replace(/\/$/, ''))
  onTestFinished(() => anna.socket.terminate())
  await anna.hello({ speaks: 'en-us', alone: 'es-es' })
  anna.say(sine(440, 1_000))
  anna.say(quiet(1_000))
  await until(() => loudness(anna.pcm, toneOf('es-es'), 16_000) > 50, 60_000, 'the translation')
  const read = await anna.expect('caption', ({ final }) => final)
  expect(read).toMatchObject({ mine: true, from: 'en-us', to: 'es-es', translation: expect.any(String) })
})
