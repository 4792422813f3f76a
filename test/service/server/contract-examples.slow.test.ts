import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { decoded, KEY, realService } from '../../support/service/real-service.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const page = readFileSync(join(ROOT, 'docs/service/protocol.md'), 'utf8')
const examples = Array.from(page.matchAll(/```js\n(.*?)```/gs), ([, source = '']) => source)

const folder = mkdtempSync(join(tmpdir(), 'dragoman-by-hand-'))
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const real = realService({ maxSessions: 4 })

/** Runs the page’s example that contains `mark`, to its end. */
async function byHand(mark: string): Promise<{ out: string; err: string; code: number | null }> {
  const source = examples.filter(each => each.includes(mark))
  expect(source).toHaveLength(1)
  writeFileSync(join(folder, 'by-hand.mjs'), source[0]!)
  const child = spawn(process.execPath, ['by-hand.mjs'], {
    cwd: folder,
    env: {
      ...process.env,
      BASE: real.url,
      KEY,
      RECORDING: join(ROOT, 'recordings/sense-and-sensibility-2.wav'),
      PLAYER: 'ffmpeg -v error -y -f mp3 -c copy heard.mp3 -i',
    },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', bytes => (out += bytes))
  child.stderr.on('data', bytes => (err += bytes))
  await once(child, 'close')
  return { out, err, code: child.exitCode }
}

test('the page shows each namespace once', () => {
  expect(examples).toHaveLength(4)
})

test('/translator by hand', async () => {
  expect(await byHand('/translator`')).toEqual({
    out: 'accepted true\nThe house is big.\n',
    err: '',
    code: 0,
  })
})

test('/tts by hand', async () => {
  expect(await byHand('/tts`')).toEqual({ out: '', err: '', code: 0 })
  expect(statSync(join(folder, 'spoken.mp3')).size).toBeGreaterThan(5_000)
})

test('/stt by hand', async () => {
  const { out, err, code } = await byHand('/stt`')
  expect({ err, code }).toEqual({ err: '', code: 0 })
  expect(out).toMatch(/^… /)
  expect(out).toMatch(/final .*young man\n$/)
})

test('/sts with streamed audio by hand', async () => {
  const { out, err, code } = await byHand('/sts`')
  expect(out).toMatch(/joven/)
  expect({ err, code }).toEqual({ err: '', code: 0 })
  expect(decoded(readFileSync(join(folder, 'heard.mp3'))).rms).toBeGreaterThan(300)
})
