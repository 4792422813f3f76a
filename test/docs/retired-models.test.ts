import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/** Models that OpenAI shuts down by February 2027 (docs/service/engines.md#servers); not part of a longer name. */
const RETIRED =
  /(?<![\w-])(?:tts-1(?:-hd)?|whisper-1|gpt-4o(?:-[\w-]+)?|gpt-4\.1(?:-[\w-]+)?|gpt-realtime|gpt-audio)(?![\w-])/g

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8')

/** Files that a model is taken from without a choice of the user, and those that users copy. */
async function sources(): Promise<string[]> {
  const within = async (folder: string, pattern: RegExp) =>
    (await readdir(new URL(folder, ROOT), { recursive: true }))
      .filter(name => pattern.test(name))
      .map(name => `${folder}${name}`)
  return [
    ...(await within('src/', /\.ts$/)),
    ...(await within('examples/', /\.(?:ts|ya?ml)$/)),
    ...(await within('docs/guides/', /\.md$/)),
    ...['dragoman.example.yaml', 'docs/reference/settings.md', 'docs/tutorial.md', 'README.md'],
  ]
}

test('no default or example names a model that is shut down soon', async () => {
  const files = await sources()
  expect(files.length).toBeGreaterThan(500)
  const named = await Promise.all(
    files.map(async file => (await read(file)).match(RETIRED)?.map(model => `${file}: ${model}`) ?? []),
  )
  expect(named.flat()).toEqual([])
})
