import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded, KEY, realService } from '../support/service/real-service.ts'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
const SENTENCE = join(PROJECT, 'recordings/sense-and-sensibility-2.wav')
/** Debian’s interpreter, which has Debian’s packages. */
const PYTHON = '/usr/bin/python3'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-cookbook-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const service = realService()

/** A program’s output and exit code. */
async function ended(program: string, ...given: string[]) {
  const env = { ...process.env, SERVICE_URL: service.url, SERVICE_KEY: KEY, PACE: '1' }
  const child = spawn(program, given, { cwd: folder, env })
  const timer = setTimeout(() => child.kill(), 60_000)
  let out = ''
  let err = ''
  child.stdout.on('data', piece => {
    out += piece
  })
  child.stderr.on('data', piece => {
    err += piece
  })
  const code = await new Promise(resolve => child.on('close', resolve))
  clearTimeout(timer)
  return { code, out, err }
}

/** Output of a successful program. */
async function run(program: string, ...given: string[]): Promise<string> {
  const { out, ...rest } = await ended(program, ...given)
  expect(rest, out).toEqual({ code: 0, err: '' })
  return out
}

const example = (name: string, ...given: string[]) =>
  run(process.execPath, '--conditions=dragoman-source', join(PROJECT, 'examples', name), ...given)

describe('the cookbook', () => {
  test('transcribe: text that grows, and the final one', async () => {
    const out = await example('transcribe.ts', SENTENCE)
    expect(out).toMatch(/^… he was/m)
    expect(out).toMatch(/^= he was .*young man$/m)
    expect(out).toContain('The session has finished.')
  })

  test('translate: every text, in order', async () => {
    const out = await example('translate.ts', 'en-us', 'es-es', 'Good morning.', 'The house is small.')
    const lines = out.trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/^Good morning\. → Buenos días/)
    expect(lines[1]).toMatch(/^The house is small\. → .*casa/)
  })

  test('speak: an mp3 with the requested rate', async () => {
    const file = join(folder, 'spoken.mp3')
    expect(await example('speak.ts', 'es-es', 'Buenos días.', file)).toContain('bytes of mp3')
    const { rate, ms, rms } = decoded(await readFile(file))
    expect(rate).toBe(24_000)
    expect(ms).toBeGreaterThan(500)
    expect(rms).toBeGreaterThan(300)
  })

  test('speak: an error as reported by the service', async () => {
    const { code, err } = await ended(
      process.execPath,
      '--conditions=dragoman-source',
      join(PROJECT, 'examples/speak.ts'),
      'xx-xx',
    )
    expect(code).toBe(1)
    expect(err).toMatch(/^bad_parameter\/\w+: /)
  })

  test('interpret: captions, and the voice as one stream', async () => {
    const file = join(folder, 'heard.mp3')
    const out = await example('interpret.ts', SENTENCE, 'en-us', 'es-es', file)
    expect(out).toMatch(/^he was .*young man → .*joven/m)
    const { ms, rms } = decoded(await readFile(file))
    expect(ms).toBeGreaterThan(1_500)
    expect(rms).toBeGreaterThan(100)
  })
})

describe('third-party clients', () => {
  /** Events as name and payload. */
  async function happened(program: string, name: string): Promise<[string, unknown][]> {
    const out = await run(program, join(PROJECT, 'examples/clients', name), service.url, KEY, SENTENCE)
    return out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  }

  function asDocumented(events: [string, unknown][]): void {
    const names = events.map(([name]) => name).filter(name => name !== 'taken')
    expect(names.slice(0, 4)).toEqual(['languages', 'connect', 'connected', 'start'])
    expect(names.slice(4)).toEqual(['result', 'endSynth', 'disconnect'])
    const of = new Map(events)
    expect(of.get('connected')).toMatchObject({ languageIdSource: 'en-us', languageIdTarget: 'es-es' })
    expect(of.get('start')).toBe(true)
    expect(of.get('result')).toMatchObject({
      text: expect.stringContaining('young man'),
      translation: expect.stringContaining('joven'),
      bytes: expect.any(Number),
    })
  }

  test('JavaScript with socket.io-client', async () => {
    asDocumented(await happened(process.execPath, 'sts.mjs'))
  })

  test('Python with python3-socketio', async context => {
    const script =
      "import socketio, websocket; from importlib.metadata import version; print(version('python-socketio'))"
    const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', script], { encoding: 'utf8' })
    const missing = (stderr ?? 'no /usr/bin/python3').trim().split('\n').at(-1)
    // Version 5 of the package is the first to support protocol 5.
    const old = status === 0 && Number.parseInt(stdout, 10) < 5
    if (status !== 0 || old) {
      const reason = old ? `python3-socketio ${stdout.trim()} speaks an older protocol` : missing
      console.log(`skipped: ${reason}; apt install python3-socketio python3-websocket`)
      context.skip(reason)
    }
    asDocumented(await happened(PYTHON, 'sts.py'))
  })
})
