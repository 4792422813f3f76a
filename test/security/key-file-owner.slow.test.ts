import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { KeyFile } from '../../src/service/server/keys/key-store.ts'
import { THEN } from '../support/service/key-date.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const NOBODY = 65_534
const off = { enabled: false }
const engines = { pocketsphinx: off, apertium: off }
const asRoot = test.skipIf(process.geteuid?.() !== 0)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Address of a service that runs as the user `nobody`. */
async function serviceAsNobody(keyFile: string, port: number): Promise<string> {
  const module = new URL('../../src/service/server/service.ts', import.meta.url).href
  const script = `import { buildService } from ${JSON.stringify(module)}
    process.setgid(${NOBODY})
    process.setuid(${NOBODY})
    const service = await buildService(${JSON.stringify({ keyFile, port, engines })})
    console.log((await service.listen()).url)`
  const child = execFile(process.execPath, ['--input-type=module', '-e', script])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [url] = await once(child.stdout!, 'data')
  return String(url).trim()
}

async function place() {
  const folder = await mkdtemp('/tmp/dragoman-owner-')
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const settings = `embedded: { port: ${port}, keyFile: ${join(folder, 'keys.json')} }\n`
  await writeFile(join(folder, 'dragoman.yaml'), settings)
  const file = new KeyFile(join(folder, 'keys.json'))
  const key = await file.add('desk', THEN)
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [MAIN, 'keys', ...args], { cwd: folder }).then(
      ({ stdout }) => ({ ok: true, text: stdout }),
      error => ({ ok: false, text: `${error.stdout}${error.stderr}` }),
    )
  const status = (url: string) =>
    fetch(`${url}/api/languages`, { headers: { 'x-api-key': key } }).then(answer => answer.status)
  return { folder, port, file, run, status }
}

asRoot('a key that root revokes is revoked in a service that runs as another user', async () => {
  const { folder, port, file, run, status } = await place()
  await chown(folder, NOBODY, NOBODY)
  await chown(file.path, NOBODY, NOBODY)
  const url = await serviceAsNobody(file.path, port)
  expect(await status(url)).toBe(200)
  const revoked = await run('revoke', 'desk')
  expect(revoked).toMatchObject({ ok: true, text: expect.stringContaining('has ended its sessions') })
  expect(await stat(file.path)).toMatchObject({ uid: NOBODY, gid: NOBODY })
  expect(await status(url)).toBe(401)
})

asRoot(
  'a service that cannot read its key file accepts none of its keys, as /health and keys report',
  async () => {
    const { folder, port, file, run, status } = await place()
    await chmod(folder, 0o755)
    const url = await serviceAsNobody(file.path, port)
    expect(await status(url)).toBe(401)
    const health = (await (await fetch(`${url}/health`)).json()) as { keyFile: object }
    expect(health.keyFile).toEqual({ status: 'unreadable' })
    const added = await run('add', 'shop')
    expect(added).toMatchObject({ ok: false, text: expect.stringContaining('its key file is unreadable') })
  },
)
