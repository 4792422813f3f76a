import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { placeCall, ScriptedService, tone, tones } from '../../simulator/index.ts'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import { dbfs, loudness, mono, readWav, rms, SAMPLE_RATE } from '../../src/transcode/index.ts'
import { Talker } from '../support/browser/page-client.ts'
import { until } from '../support/until.ts'
import { PROJECT } from './pages.ts'

const PATIENCE_MS = 60_000
const PHONE_RATE = 8_000
const TRANSLATED_HZ = 1_234

let folder: string
const children: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-examples-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts an example like a person would. */
function started(name: string, given: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(
    process.execPath,
    ['--conditions=dragoman-source', join(PROJECT, 'examples', name), ...given],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    },
  )
  children.push(child)
  const run = { child, out: '', err: '', closed: once(child, 'close') }
  child.stdout.on('data', piece => {
    run.out += piece
  })
  child.stderr.on('data', piece => {
    run.err += piece
  })
  return run
}

/** Output of an example that ends successfully on its own. */
async function printed(name: string, ...given: string[]): Promise<string> {
  const run = started(name, given)
  const [code] = await run.closed
  expect(code, run.err).toBe(0)
  return run.out
}

async function pcmOf(name: string): Promise<Int16Array> {
  return mono(readWav(await readFile(join(folder, 'transcoded', name))))
}

it('every program is in the list', async () => {
  const list = await readFile(join(PROJECT, 'examples/README.md'), 'utf8')
  const programs = await readdir(join(PROJECT, 'examples'), { recursive: true })
  for (const name of programs.filter(each => /\.(ts|mjs|py)$/.test(each)))
    expect(list).toContain(`](${name})`)
})

describe('plugin', () => {
  it(
    'answers a call, which hears itself translated, and ends on request',
    async () => {
      await using service = await ScriptedService.listen({
        answer: tones({ hz: () => TRANSLATED_HZ, silenceMs: 200 }),
      })
      const [publicUrl, authToken] = ['https://bridge.example.com', 'the token']
      const run = started('plugin.ts', [], {
        SERVICE_URL: service.url,
        SERVICE_KEY: service.apiKey,
        PUBLIC_URL: publicUrl,
        TWILIO_AUTH_TOKEN: authToken,
        HOST: '127.0.0.1',
        PORT: '0',
      })
      await until(() => /Listening at (\S+)/.test(run.out), PATIENCE_MS, `listening: ${run.err}`)
      const webhook = `${/Listening at (\S+)/.exec(run.out)![1]}/twilio/voice`

      expect((await fetch(webhook, { method: 'POST' })).status).toBe(403)

      const call = await placeCall({ webhook, publicUrl, authToken })
      await call.say(tone(700, 800, PHONE_RATE), PHONE_RATE)
      await until(() => /→/.test(run.out), PATIENCE_MS, 'a caption')
      await call.quietFor(1_000)
      await call.hangUp()
      expect(loudness(call.heard(), TRANSLATED_HZ, PHONE_RATE)).toBeGreaterThan(500)
      expect(call.report().warnings).toEqual([])

      run.child.kill('SIGTERM')
      expect((await run.closed)[0], run.err).toBe(0)
    },
    PATIENCE_MS,
  )
})

describe('graceful-shutdown', () => {
  const [publicUrl, authToken] = ['https://bridge.example.com', 'the token']
  async function calling(service: ScriptedService, drainSeconds: string) {
    const run = started('graceful-shutdown.ts', [], {
      ...{ SERVICE_URL: service.url, SERVICE_KEY: service.apiKey, PUBLIC_URL: publicUrl },
      ...{ TWILIO_AUTH_TOKEN: authToken, DRAIN_SECONDS: drainSeconds, HOST: '127.0.0.1', PORT: '0' },
    })
    await until(() => /Listening at (\S+)/.test(run.out), PATIENCE_MS, `listening: ${run.err}`)
    const address = /Listening at (\S+)/.exec(run.out)![1]!
    const webhook = `${address}/twilio/voice`
    const call = await placeCall({ webhook, publicUrl, authToken })
    run.child.kill('SIGTERM')
    await until(() => /Waiting for 1 calls/.test(run.out), PATIENCE_MS, 'waiting')
    return { run, call, address, webhook }
  }

  it(
    'lets no new call in, and ends when the last call has ended',
    async () => {
      await using service = await ScriptedService.listen()
      const { run, call, address, webhook } = await calling(service, '600')
      expect((await fetch(`${address}/ready`)).status).toBe(503)
      const fields = { CallSid: 'CA2', AccountSid: 'AC1', From: '+15005550006', To: '+15005550001' }
      const headers = { 'x-twilio-signature': sign(authToken, `${publicUrl}/twilio/voice`, fields) }
      const refused = await fetch(webhook, { method: 'POST', headers, body: new URLSearchParams(fields) })
      expect(refused.status).toBe(503)
      expect(run.child.exitCode).toBeNull()
      await call.hangUp()
      expect((await run.closed)[0], run.err).toBe(0)
      expect(run.out).toContain('Handing over 0 calls')
    },
    PATIENCE_MS,
  )

  it(
    'hands the calls that remain over at the deadline',
    async () => {
      await using service = await ScriptedService.listen()
      const { run } = await calling(service, '0.5')
      expect((await run.closed)[0], run.err).toBe(0)
      expect(run.out).toContain('Handing over 1 calls')
    },
    PATIENCE_MS,
  )
})

describe('talk-page', () => {
  it(
    'admits a visitor, who hears themselves translated',
    async () => {
      await using service = await ScriptedService.listen({
        answer: tones({ hz: () => TRANSLATED_HZ, silenceMs: 200 }),
      })
      const env = { SERVICE_URL: service.url, SERVICE_KEY: service.apiKey, PORT: '0' }
      const run = started('talk-page.ts', [], env)
      await until(() => /Listening at (\S+)/.test(run.out), PATIENCE_MS, `listening: ${run.err}`)
      const [, address] = /Listening at (\S+)/.exec(run.out)!
      const page = await (await fetch(`${address}/talk`, { headers: { accept: 'text/html' } })).text()
      expect(page).toContain('Start talking')
      // All visible links work: a bridge alone has no dashboard.
      for (const [, path, more] of page.matchAll(/<a href="([^"]+)"([^>]*)>/g))
        if (!more!.includes('hidden'))
          expect((await fetch(new URL(path!, `${address}/talk`))).status, path).toBe(200)
      const module = /<script[^>]+src="([^"]+)"/.exec(page)![1]!
      expect((await fetch(new URL(module, `${address}/talk`))).status).toBe(200)
      const talker = await Talker.open(address!)
      await talker.hello()
      talker.say(tone(700, 800, SAMPLE_RATE))
      talker.say(new Int16Array(SAMPLE_RATE))
      await until(
        () => talker.heard.some(({ pcm }) => loudness(pcm, TRANSLATED_HZ, SAMPLE_RATE) > 500),
        PATIENCE_MS,
        'the translation',
      )
      talker.socket.terminate()
      run.child.kill('SIGTERM')
      expect((await run.closed)[0], run.err).toBe(0)
    },
    PATIENCE_MS,
  )
})

describe('transcode', () => {
  it('converts a recording like a phone does', async () => {
    const out = await printed('transcode.ts', join(PROJECT, 'recordings/sense-and-sensibility-2.wav'))
    expect(out).toMatch(/^voice\.wav: [\d.]+ s, -[\d.]+ dBFS$/m)
    const [voice, heard, faster] = await Promise.all(['voice.wav', 'heard.wav', 'faster.wav'].map(pcmOf))
    const level = (pcm: Int16Array | undefined) => dbfs(rms(pcm!))
    expect(Math.abs(level(heard) - level(voice))).toBeLessThan(2)
    expect(Math.abs(level(faster) - level(heard))).toBeLessThan(1)
    // Two filters of a few milliseconds each.
    expect(Math.abs(heard!.length - voice!.length)).toBeLessThan(SAMPLE_RATE / 50)
    expect(heard!.length / faster!.length).toBeCloseTo(1.25, 1)
    expect(Number(/was (\d+) bytes/.exec(out)?.[1]) / voice!.length).toBeCloseTo(0.5, 2)
  })
})

describe('own-voice', () => {
  it(
    'lets one leg hear the other, original and translation',
    async () => {
      // As in the page, which uses the right Node.
      const { stdout: out } = await promisify(execFile)(
        'npm',
        ['run', '--silent', 'example', 'examples/own-voice.ts'],
        {
          cwd: PROJECT,
        },
      )
      const [, original, translation] = /original (\d+),\s+translation (\d+)/.exec(out) ?? []
      expect(Number(original)).toBeGreaterThan(100)
      expect(Number(translation)).toBeGreaterThan(500)
    },
    PATIENCE_MS,
  )
})

describe('the others', () => {
  it.each([
    ['translate.ts', 'test/docs/cookbook.slow.test.ts'],
    ['transcribe.ts', 'test/docs/cookbook.slow.test.ts'],
    ['speak.ts', 'test/docs/cookbook.slow.test.ts'],
    ['interpret.ts', 'test/docs/cookbook.slow.test.ts'],
    ['sts.mjs', 'test/docs/cookbook.slow.test.ts'],
    ['sts.py', 'test/docs/cookbook.slow.test.ts'],
    ['discord-bot.ts', 'test/bridges/discord/own-process.slow.test.ts'],
  ])('%s is run in %s', async (name, test) => {
    expect(await readFile(join(PROJECT, test), 'utf8')).toContain(name)
  })
})
