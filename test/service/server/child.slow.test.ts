import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import type { StsResult } from '../../../src/service/contract.ts'
import { ServiceProcess } from '../../../src/service/server/process/service-process.ts'
import { joined, pause, recording } from '../../support/engines/recordings.ts'
import { speak } from '../../support/service/real-service.ts'
import { query, TestClient } from '../../support/service/test-client.ts'

/** The process without recognizers, which starts faster. */
const QUICK = { apiKeys: ['k'], engines: { pocketsphinx: { enabled: false } } }

async function reachable(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    response => response.ok,
    () => false,
  )
}

test('restarts a killed service at the same address, and a whole sentence is translated', async () => {
  const lines: string[] = []
  const note = (_fields: object, message: string) => void lines.push(message)
  const log = { debug: note, info: note, warn: note, error: note }
  await using service = await ServiceProcess.start({ apiKeys: ['k'] }, { log })
  const { url, pid } = service
  const first = new TestClient(`${url}/sts`, 'k', query())
  await first.until('start')
  void speak(first, recording(2))
  process.kill(pid!, 'SIGKILL')
  await first.until('disconnect')
  await expect.poll(() => reachable(url), { timeout: 60_000, interval: 50 }).toBe(true)
  expect(service.url).toBe(url)
  expect(service.pid).not.toBe(pid)
  expect(service.restarts).toBe(1)
  const second = new TestClient(`${url}/sts`, 'k', query())
  await second.until('start')
  await speak(second, joined(recording(2), pause(800)))
  await second.until('endSynth')
  expect(second.payloads<StsResult>('result')[0]?.translation).toContain('joven')
  second.close()
  expect(lines).toContain('service process died')
  expect(lines).toContain('session ready')
})

test('close ends the process, settles ended, and prevents a restart', async () => {
  const service = await ServiceProcess.start(QUICK)
  const { url, pid } = service
  await Promise.all([service.close(), service.close()])
  expect(await service.ended).toEqual({ kind: 'hangup', by: 'local' })
  expect(await reachable(url)).toBe(false)
  expect(() => process.kill(pid!, 0)).toThrow('ESRCH')
})

test('reports invalid settings and a port in use at once', async () => {
  await expect(ServiceProcess.start({ ...QUICK, maxSessions: 0 })).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('maxSessions'),
  })
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  await expect(ServiceProcess.start({ ...QUICK, port })).rejects.toMatchObject({
    code: 'SERVICE_UNREACHABLE',
  })
  taken.close()
})

test('restarts the service after a SIGTERM to its process', async () => {
  await using service = await ServiceProcess.start(QUICK)
  const { pid } = service
  process.kill(pid!, 'SIGTERM')
  await expect.poll(() => service.restarts, { timeout: 60_000 }).toBe(1)
  await expect.poll(() => reachable(service.url), { timeout: 60_000 }).toBe(true)
})

test('kills and replaces a service that is suspended during its work', async () => {
  const clock = new FakeClock()
  const lines: { message: string; servicePid?: number }[] = []
  const note = (fields: object, message: string) => void lines.push({ ...fields, message })
  const log = { debug: note, info: note, warn: note, error: note }
  await using service = await ServiceProcess.start(QUICK, { clock, log })
  const { url, pid } = service
  process.kill(pid!, 'SIGSTOP')
  clock.advance(8_000)
  // Not yet: the machine can be this busy.
  expect(lines.map(({ message }) => message)).not.toContain('service process killed')
  clock.advance(1_000)
  expect(lines).toContainEqual(
    expect.objectContaining({ message: 'service process killed', servicePid: pid, why: 'does not answer' }),
  )
  await expect.poll(() => lines.at(-1)?.message, { timeout: 60_000 }).toBe('service process died')
  clock.advance(100)
  await expect.poll(() => reachable(url), { timeout: 60_000, interval: 50 }).toBe(true)
  expect([service.url, service.restarts]).toEqual([url, 1])
  expect(service.pid).not.toBe(pid)
})

test('a service that responds is never killed', async () => {
  const clock = new FakeClock()
  await using service = await ServiceProcess.start(QUICK, { clock })
  for (let n = 0; n < 60; n++) {
    clock.advance(3_000)
    // This response shows that the earlier requests were answered.
    expect(await reachable(service.url)).toBe(true)
    await new Promise(setImmediate)
  }
  expect(service.restarts).toBe(0)
})

test('the service exits when its parent exits', async () => {
  const parent = fork(new URL('../../support/service/parent-process.ts', import.meta.url), { execArgv: [] })
  const [{ url }] = (await once(parent, 'message')) as [{ url: string }]
  expect(await reachable(url)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => reachable(url), { timeout: 60_000 }).toBe(false)
})

test('a process that writes after its parent has exited ends without an error', async () => {
  const path = fileURLToPath(new URL('../../../src/service/server/process/child-main.ts', import.meta.url))
  // While suspended, it receives the request and then the end of its parent.
  const parent = `
    import { fork, spawn } from 'node:child_process'
    const child = fork(${JSON.stringify(path)}, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.on('message', ({ type }) => {
      if (type !== 'listening') return
      process.kill(child.pid, 'SIGSTOP')
      for (let n = 0; n < 200; n++) child.send({ type: 'ask' })
      process.stdout.write('pid ' + child.pid + '\\n', () => setTimeout(() => process.exit(), 100))
    })
    child.send({ type: 'start', config: ${JSON.stringify(QUICK)} })`
  const run = spawn(process.execPath, ['--input-type=module', '--eval', parent])
  let out = ''
  let err = ''
  run.stdout.on('data', piece => {
    out += piece
  })
  run.stderr.on('data', piece => {
    err += piece
  })
  await once(run, 'exit')
  const pid = Number(/pid (\d+)/.exec(out)?.[1])
  process.kill(pid, 'SIGCONT')
  await once(run, 'close')
  expect(err).toBe('')
})

test('the process gets no environment variable of the bridge that could be a secret', async () => {
  vi.stubEnv('DRAGOMAN_TWILIO_AUTH_TOKEN', 'canary-of-the-environment')
  onTestFinished(() => void vi.unstubAllEnvs())
  await using service = await ServiceProcess.start(QUICK)
  const seen = await readFile(`/proc/${service.pid}/environ`, 'utf8')
  expect(seen).toContain('PATH=')
  expect(seen).not.toContain('canary')
})
