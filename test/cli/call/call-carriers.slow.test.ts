import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ScriptedService, tone, tones } from '../../../simulator/index.ts'
import { buildApp } from '../../../src/app/app.ts'
import { call } from '../../../src/cli/call/call.ts'
import { CommandError } from '../../../src/cli/errors.ts'
import { Terminal } from '../../../src/cli/terminal.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'

const SECRET = 'a secret of all carriers'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
  const { port } = server.address() as { port: number }
  await new Promise(settle => server.close(settle))
  return port
}

/** A server without accounts but Asterisk’s, for phones of this machine, and a service that answers speech with tones. */
async function serve(sampleRate: 8_000 | 16_000, stream: 'audiosocket' | 'websocket' = 'audiosocket') {
  const service = await ScriptedService.listen({ answer: tones({ hz: () => 800, silenceMs: 300 }) })
  onTestFinished(() => service.close())
  const port = await freePort()
  const app = await buildApp(
    {
      ...{ host: '127.0.0.1', port: 0, service: { url: service.url, apiKey: service.apiKey } },
      limits: { maxEventLoopLagMs: 60_000 },
      twilio: { authToken: [SECRET] },
      jambonz: { sampleRate },
      asterisk: { secret: SECRET, sampleRate, stream, audioSocket: { port } },
    },
    { ownAuthTokens: true },
  )
  onTestFinished(() => app.close())
  return { server: await app.listen(), audioAddress: `127.0.0.1:${port}`, sampleRate, stream }
}

/** A folder with a sentence: a second of a tone. */
async function sentence(): Promise<{ folder: string; audio: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'call-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const audio = join(folder, 'said.wav')
  await writeFile(audio, encodeWav(tone(400, 1_000, 8_000), 8_000))
  return { folder, audio }
}

/** Runs the command; returns its exit code and result. */
async function run(options: Awaited<ReturnType<typeof serve>> & { readonly carrier: string }) {
  const { folder, audio } = await sentence()
  const written: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(text => written.push(String(text)) > 0)
  onTestFinished(() => write.mockRestore())
  const terminal = new Terminal(new PassThrough() as unknown as NodeJS.WriteStream)
  const asked = { ...options, from: 'en-us', to: 'es-es', authToken: SECRET }
  const output = join(folder, 'heard.wav')
  const code = await call({ ...asked, audio, output, listenMs: 1_500, json: true }, terminal, noopLogger)
  write.mockRestore()
  return { code, result: JSON.parse(written.join('')) }
}

describe.each([
  ['plivo', 8_000],
  ['jambonz', 8_000],
  ['jambonz', 16_000],
  ['asterisk', 8_000],
  ['asterisk', 16_000],
  ['asterisk', 16_000, 'websocket'],
] as const)('dragoman call --carrier %s', (carrier, sampleRate, stream?) => {
  test(`plays a sentence and saves its translation, with streams of ${sampleRate} Hz${stream ? ` by ${stream}` : ''}`, async () => {
    const { code, result } = await run({ ...(await serve(sampleRate, stream)), carrier })
    expect(result).toMatchObject({ problems: [], said: [] })
    expect(result.translations).toBeGreaterThan(0)
    expect(result.heardMs).toBeGreaterThan(300)
    expect(result.latenciesMs.length).toBeGreaterThan(0)
    expect(code).toBe(0)
  })
})

test.each(['jambonz', 'asterisk', 'plivo'])(
  'a wrong secret of %s is reported',
  { timeout: 60_000 },
  async carrier => {
    const { server, audioAddress, sampleRate } = await serve(8_000)
    const terminal = new Terminal(new PassThrough() as unknown as NodeJS.WriteStream)
    const asked = {
      server,
      audioAddress,
      sampleRate,
      carrier,
      from: 'en-us',
      to: 'es-es',
      authToken: 'wrong',
    }
    const { folder, audio } = await sentence()
    const output = join(folder, 'heard.wav')
    const calling = call({ ...asked, audio, output, listenMs: 100 }, terminal, noopLogger)
    await expect(calling).rejects.toThrow(CommandError)
  },
)
