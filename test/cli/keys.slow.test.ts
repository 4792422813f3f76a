import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServiceErrorBody } from '../../src/service/contract.ts'
import { query, TestClient } from '../support/service/test-client.ts'

const run = promisify(execFile)
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('DRAGOMAN_')))

let folder: string
let url = ''
let ownKey = ''
/** The output of all processes of the test. */
let printed = ''
let end: () => Promise<void>
const clients: TestClient[] = []

async function dragoman(...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { cwd: folder, env })
  printed += stderr
  return stdout
}

async function add(name: string, ...limits: string[]): Promise<string> {
  const added = JSON.parse(await dragoman('keys', 'add', name, '--json', ...limits)) as { key: string }
  return added.key
}

function connect(key: string): TestClient {
  const client = new TestClient(`${url}/stt`, key, query())
  clients.push(client)
  return client
}

let asked = 0

/** Asks with `key`, each time from another address: attempts with a key that is not yet known count as guessing. */
async function status(key: string): Promise<number> {
  const headers = { 'x-api-key': key, 'x-forwarded-for': `2001:db8:0:${(asked++).toString(16)}::1` }
  return (await fetch(`${url}/api/languages`, { headers })).status
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-keys-e2e-'))
  const settings = 'embedded: { maxSessions: 6 }\n'
  await writeFile(join(folder, 'dragoman.yaml'), settings)
  const child = spawn(process.execPath, [MAIN, 'service'], { cwd: folder, env })
  child.stderr.on('data', text => {
    printed += text
  })
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  end = async () => {
    child.kill('SIGTERM')
    await gone
  }
  for await (const line of createInterface(child.stdout)) {
    url = /^Translation service at (\S+)/.exec(line)?.[1] ?? url
    ownKey = /key for this run +(\S+)/.exec(line)?.[1] ?? ownKey
    if (line.includes('Ctrl-C')) break
  }
})

afterAll(async () => {
  for (const client of clients) client.close()
  await end()
  await rm(folder, { recursive: true, force: true })
})

test('keys are made, listed and revoked while the service runs; only their own sessions end', async () => {
  const desk = await add('desk', '--sessions', '1')
  const shop = await add('shop', '--minutes-per-day', '60')
  for (const key of [desk, shop])
    await expect.poll(() => status(key), { timeout: 60_000, interval: 50 }).toBe(200)
  expect(await status(ownKey)).toBe(200)

  const [first, beside] = [connect(desk), connect(shop)]
  await Promise.all([first.until('start'), beside.until('start')])
  expect(await connect(desk).until('connect_error')).toMatchObject({ error: 'key_sessions_taken' })

  const list = await dragoman('keys', 'list')
  expect(list).toMatch(/desk +\S+ +1 +any +0\.0\n/)
  expect(list).toMatch(/shop +\S+ +any +60 +0\.0\n/)
  for (const key of [desk, shop]) expect(list).not.toContain(key.slice(4))

  await dragoman('keys', 'revoke', 'desk')
  const body = await first.until<ServiceErrorBody>('error')
  expect(body).toMatchObject({ code: 'unauthorized', error: 'key_revoked' })
  await first.until('disconnect')
  expect(await status(desk)).toBe(401)
  expect(await connect(desk).until('connect_error')).toMatchObject({ error: 'key_wrong' })
  expect(await beside.send(Buffer.alloc(1920))).toBe(true)
  expect(beside.names).toEqual(['connect', 'connected', 'start'])

  const file = await readFile(join(folder, 'dragoman.keys.json'), 'utf8')
  for (const key of [desk, shop, ownKey]) {
    expect(printed).not.toContain(key.slice(4))
    expect(file).not.toContain(key.slice(4))
  }
})

test('failures are reported in one line, with an exit code', async () => {
  await add('twice')
  for (const args of [
    ['add', 'twice'],
    ['add', 'no spaces'],
    ['add', 'x', '--sessions', '0'],
    ['add', 'x', '--sessions', 'many'],
    ['revoke', 'nobody'],
  ]) {
    const failure = await dragoman('keys', ...args).catch(error => error)
    expect(failure, args.join(' ')).toMatchObject({ code: 1, stdout: '' })
    expect(failure.stderr).not.toContain('    at ')
  }
  const list = JSON.parse(await dragoman('keys', 'list', '--json')) as { name: string }[]
  expect(list.map(({ name }) => name)).toContain('twice')
  expect(Object.keys(list[0]!)).not.toContain('sha256')
})

test('concurrent changes from several processes are all kept', async () => {
  const names = ['a', 'b', 'c', 'd']
  const keys = await Promise.all(names.map(name => add(name)))
  for (const key of keys) await expect.poll(() => status(key), { timeout: 60_000 }).toBe(200)
})
