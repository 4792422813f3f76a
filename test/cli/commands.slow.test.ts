import { access, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { peak, rms } from '../../src/transcode/level.ts'
import { readWav } from '../../src/transcode/wav.ts'
import { type Command, Shell } from '../support/shell.ts'

const SENTENCE = new URL('../../recordings/sense-and-sensibility-4.wav', import.meta.url).pathname
/** Ends of calls, farewells and engines: "a few seconds" on a busy machine. */
const GOODBYE_MS = 10_000

let shell: Shell
/** The demo speaks for half a minute: it runs in parallel, and is checked at the end. */
let stage: Shell
let demo: Command
beforeAll(async () => {
  stage = await Shell.open()
  demo = stage.start('demo', '--json', '--output', join(stage.folder, 'heard.wav'))
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(async () => {
  shell = await Shell.open()
})
afterEach(() => shell[Symbol.asyncDispose]())

/** Milliseconds of audible 20 ms stretches (above −50 dBFS). */
async function audibleMs(path: string): Promise<number> {
  const { pcm, rate } = readWav(await readFile(path))
  const step = rate / 50
  let count = 0
  for (let at = 0; at + step <= pcm.length; at += step) if (rms(pcm.subarray(at, at + step)) > 104) count++
  return count * 20
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const tokenFile = (port: string) => join(tmpdir(), `dragoman-${userInfo().uid}`, `${port}.token`)

// Child processes with real engines, on any machine: the timeouts account for that.
describe('from the shell, with the real engines,', () => {
  test('serve without settings accepts only calls from a local process; SIGTERM ends it', async () => {
    const serving = shell.start('serve', '--port', '0')
    const [, port = ''] = await serving.says(/on the line at http:\/\/127\.0\.0\.1:(\d+)/)
    await serving.says(/Ctrl-C/)
    expect(await exists(tokenFile(port))).toBe(true)
    const address = `http://127.0.0.1:${port}`

    const fields = new URLSearchParams({ CallSid: 'CA1', From: '+15005550006', To: '+15005550001' })
    const unsigned = await fetch(`${address}/twilio/voice`, { method: 'POST', body: fields })
    expect([unsigned.status, await unsigned.text()]).toEqual([403, ''])
    expect(await (await fetch(`${address}/health`)).json()).toMatchObject({ status: 'ok', legs: 0 })

    const output = join(shell.folder, 'heard.wav')
    const server = `http://localhost:${port}`
    const call = await shell.run('call', SENTENCE, '--server', server, '--json', '--output', output)
    expect(call.code, call.err).toBe(0)
    const result = JSON.parse(call.out)
    expect(result).toMatchObject({ problems: [], said: [], output })
    expect(result.captions).toEqual([
      {
        from: 'en-us',
        to: 'es-es',
        text: expect.stringMatching(/\w+/),
        translation: expect.stringMatching(/\w+/),
      },
    ])
    expect(result.heardMs).toBeGreaterThan(1_000)
    expect(result.levelDbfs).toBeGreaterThan(-50)
    expect(result.latenciesMs.length).toBeGreaterThan(0)
    expect(result.marksConfirmed).toBeGreaterThan(0)
    expect(await audibleMs(output)).toBeGreaterThan(1_000)

    const refused = await shell.run('call', SENTENCE, '--server', server, '--to', 'zh-cn')
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(/does not translate en-us into zh-cn; --to can be: .*es-es/)

    const asked = performance.now()
    expect(await serving.end('SIGTERM')).toBe(0)
    expect(performance.now() - asked).toBeLessThan(GOODBYE_MS)
    expect(serving.out).toContain('Ending calls')
    expect(await exists(tokenFile(port))).toBe(false)
    await expect(fetch(`${address}/health`)).rejects.toThrow()
    // The service ended with it.
    const [, service = ''] = /embedded, (http:\S+)/.exec(serving.out) ?? []
    await expect(fetch(`${service}/api/languages`)).rejects.toThrow()
  })

  test('serve ends its calls on shutdown', async () => {
    const serving = shell.start('serve', '--port', '0')
    const [, port = ''] = await serving.says(/on the line at http:\/\/127\.0\.0\.1:(\d+)/)
    const server = `http://127.0.0.1:${port}`
    const calling = shell.start('call', SENTENCE, '--server', server, '--output', join(shell.folder, 'x.wav'))
    await calling.says(/In call/)
    const asked = performance.now()
    expect(await serving.end('SIGINT')).toBe(0)
    expect(performance.now() - asked).toBeLessThan(GOODBYE_MS)
    // The caller’s connection broke: no success, and no hanging.
    expect(await calling.ended).toBe(1)
    expect(calling.out).toContain('Problems')
  })

  test('the service alone prints a key and accepts only that one', async () => {
    const service = shell.start('service', '--port', '0')
    const [, url] = await service.says(/Translation service at (http:\S+)/)
    const [, key = ''] = await service.says(/key for this run\s+(\S+)/)
    await service.says(/speech from\s+.*en-us/)
    const ask = (headers: Record<string, string>) => fetch(`${url}/api/languages`, { headers })
    const right = await ask({ 'x-api-key': key })
    expect(right.status).toBe(200)
    expect(JSON.stringify(await right.json())).toContain('"en-us"')
    for (const headers of [{}, { 'x-api-key': `${key}x` }] as Record<string, string>[]) {
      const wrong = await ask(headers)
      expect(wrong.status).toBe(401)
      expect(await wrong.json()).toMatchObject({ code: 'unauthorized' })
    }
    expect(await service.end('SIGTERM')).toBe(0)
    await expect(ask({ 'x-api-key': key })).rejects.toThrow()
  })

  test('the doctor checks everything and places a translated call, also for scripts', async () => {
    const serving = shell.start('serve', '--port', '0')
    const [, port = ''] = await serving.says(/on the line at http:\/\/127\.0\.0\.1:(\d+)/)
    await serving.says(/Ctrl-C/)
    const settings = { DRAGOMAN_PORT: port }
    const doctor = shell.startWith(settings, 'doctor', '--json')
    const code = await doctor.ended
    const checks = JSON.parse(doctor.out) as { name: string; status: string; found: string }[]
    expect(JSON.stringify(checks)).toMatch(/pocketsphinx/i)
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([])
    expect(code).toBe(0)
    expect(checks.at(-1)).toMatchObject({
      name: 'translated call',
      found: expect.stringMatching(
        /^en-us → es-es: heard \d+\.\d s at -\d+ dBFS, (\d+\.\d s after the words|from before the words ended)$/,
      ),
    })
    const plain = shell.startWith(settings, 'doctor', '--no-call')
    expect(await plain.ended).toBe(code)
    expect(plain.out.split('\n').length).toBeGreaterThan(4)
    expect(plain.out).not.toContain('translated call')
  })
})

describe('from the shell, errors are reported in one line:', () => {
  // All others: test/cli/refusals.slow.test.ts.
  test('a missing file', async () => {
    const { code, out, err } = await shell.run('call', 'nope.wav')
    expect([code, out]).toEqual([1, ''])
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(/^ENOENT: .*nope\.wav/)])
  })

  test('an unknown option, with a pointer to the help', async () => {
    const { code, out, err } = await shell.run('serve', '--prot', '1')
    expect([code, out]).toEqual([1, ''])
    expect(err.startsWith("error: unknown option '--prot'"), err).toBe(true)
    expect(err).toContain('Add --help')
  })

  test('a port in use, leaving no process behind', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    const { code, out, err } = await shell.run('serve', '--port', port)
    taken.close()
    expect(code).toBe(1)
    expect(out).toBe('')
    expect(err).toMatch(new RegExp(`^EADDRINUSE: port ${port} of 127\\.0\\.0\\.1 is in use: .* --port$`, 'm'))
    expect(await exists(tokenFile(port))).toBe(false)
  })

  test('an unsupported target language, listing the supported ones', async () => {
    const { code, err } = await shell.run('demo', '--to', 'zh-cn')
    expect(code).toBe(1)
    expect(err).toMatch(/^the service says: en-us is translated into .*es-es.*, not zh-cn$/m)
    expect(err).toMatch(/^--from can be: en-us/m)
    expect(err).toMatch(/^--to can be from en-us: .*es-es/m)
    expect(err).not.toMatch(/^\s+at /m)
  })
})

describe('from the shell, with the real engines and voices,', () => {
  test('the demo shows a translated call, writes the audio, and succeeds', async () => {
    const output = join(stage.folder, 'heard.wav')
    const code = await demo.ended
    const { out, err } = demo
    const result = JSON.parse(out)
    expect(code, err).toBe(0)
    expect(result).toMatchObject({ ok: true, warnings: [], output })
    expect(result.captions.length).toBeGreaterThan(0)
    for (const caption of result.captions) expect(caption).toMatchObject({ from: 'en-us', to: 'es-es' })
    const english = result.captions.map(({ text }: { text: string }) => text).join(' ')
    const spanish = result.captions.map(({ translation }: { translation: string }) => translation).join(' ')
    expect(english).toMatch(/\b(the|and|was|he|she|of)\b/)
    expect(spanish).toMatch(/\b(el|la|los|y|que|de|un|una|él)\b/i)
    // The value belongs to the benchmark; this only checks that it is measured.
    expect(result.latencyMs.p50).toBeGreaterThan(0)
    expect(result.latencyMs.max).toBeGreaterThanOrEqual(result.latencyMs.p50)
    expect(await audibleMs(output)).toBeGreaterThan(2_000)
    expect(peak(readWav(await readFile(output)).pcm)).toBeGreaterThan(1_000)
    // The display goes to the other stream, so that scripts read only JSON.
    expect(err).not.toContain('INSECURE')
    expect(err).toMatch(/en-us {2}\w/)
    expect(err).toMatch(/es-es {2}\w/)
  })
})
