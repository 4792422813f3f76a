import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/app/settings/load.ts'
import { systemClock } from '../../src/common/clock.ts'
import { noopLogger } from '../../src/common/log.ts'
import { NatsFleet } from '../../src/fleet/nats/nats-fleet.ts'
import { NATS_SERVER } from '../support/fleet/nats-servers.ts'
import { until } from '../support/until.ts'
import { environmentOf, expectValidCompose } from './compose.ts'
import { freePort } from './proxy.ts'

const run = promisify(execFile)
const FOLDER = new URL('../../deploy/compose/fleet/', import.meta.url).pathname
const NODES = ['a', 'b', 'c']

interface Service {
  readonly command: string[]
  readonly environment: Record<string, string>
  readonly secrets?: string[]
  readonly networks: string[] | Record<string, { aliases?: string[] }>
  readonly volumes?: string[]
  readonly ports?: string[]
  readonly mem_limit: string
}
interface Compose {
  readonly services: Record<string, Service>
  readonly secrets: Record<string, { file: string }>
  readonly networks: Record<string, { internal?: boolean }>
}

const text = await readFile(join(FOLDER, 'compose.yaml'), 'utf8')
const compose = parse(text, { merge: true }) as Compose
const service = (name: string) => compose.services[name] ?? expect.fail(`no service ${name}`)

let folder: string
/** Content of a secret. */
const secret = (name: string) => readFile(join(folder, 'secrets', name), 'utf8')
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-fleet-compose-'))
  await cp(join(FOLDER, 'secrets.sh'), join(folder, 'secrets.sh'))
  await run('sh', [join(folder, 'secrets.sh')], { cwd: '/' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the compose file is valid by the schema of compose files', () => expectValidCompose(text))

test('refers to existing files, secrets and networks', async () => {
  for (const [name, { volumes = [], secrets = [], networks, environment }] of Object.entries(
    compose.services,
  )) {
    for (const volume of volumes) {
      const [from = ''] = volume.split(':')
      if (from.startsWith('./secrets/')) await stat(join(folder, from))
      else if (from.startsWith('.')) await stat(join(FOLDER, from))
    }
    for (const each of secrets) await stat(join(folder, compose.secrets[each]?.file ?? `no secret ${each}`))
    for (const [variable, value] of Object.entries(environment ?? {}))
      if (variable.endsWith('_FILE'))
        expect(
          secrets.map(each => `/run/secrets/${each}`),
          `${name} ${variable}`,
        ).toContain(value)
    for (const each of Array.isArray(networks) ? networks : Object.keys(networks))
      expect(compose.networks, each).toHaveProperty(each)
  }
})

test('gives each node valid settings with its own name and address', async () => {
  const overrides = parse(await readFile(join(FOLDER, 'dragoman.yaml'), 'utf8'))
  for (const name of NODES) {
    const { environment, networks } = service(name)
    const env = environmentOf(environment)
    const config = loadConfig({ env, overrides, starts: 'bridge' })
    expect(config.fleet).toMatchObject({ node: name, address: `http://${name}:8080`, nats: { replicas: 3 } })
    expect(config.drain.seconds).toBe(0)
    // The router finds them under one name, and by their own.
    expect(networks).toMatchObject({ front: { aliases: ['nodes'] } })
  }
  const router = await readFile(join(FOLDER, '../../nginx/fleet-router.conf'), 'utf8')
  expect(router).toContain(`(?<node>${NODES.join('|')})`)
})

test('exposes only Caddy, and NATS only to the nodes', () => {
  const open = Object.entries(compose.services).filter(([, { ports }]) => ports)
  expect(open.map(([name]) => name)).toEqual(['caddy'])
  expect([compose.networks.bus, compose.networks.back]).toEqual([{ internal: true }, { internal: true }])
  const onBus = Object.entries(compose.services).filter(([, { networks }]) =>
    (Array.isArray(networks) ? networks : Object.keys(networks)).includes('bus'),
  )
  expect(onBus.map(([name]) => name)).toEqual([...NODES, 'nats-1', 'nats-2', 'nats-3'])
  for (const [name, each] of Object.entries(compose.services))
    expect(each, name).toMatchObject({
      ...{ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      ...{ mem_limit: expect.stringMatching(/^\d+[mg]$/), pids_limit: expect.any(Number) },
    })
})

test('keeps its secrets, and protects them from others', async () => {
  const names = ['fleet_key', 'nats_password', 'nats_cert.pem']
  const before = await Promise.all(names.map(secret))
  await run('sh', [join(folder, 'secrets.sh')], { cwd: '/' })
  expect(await Promise.all(names.map(secret))).toEqual(before)
  expect((await stat(join(folder, 'secrets'))).mode & 0o777).toBe(0o700)
})

test.skipIf(NATS_SERVER === undefined)(
  'its NATS servers form a cluster, and accept nodes with the password over TLS only',
  async () => {
    await using servers = new Servers()
    const ports = await servers.start()
    const settings = (password: string, tls: object | undefined) => ({
      servers: ports.map(port => `localhost:${port}`),
      ...{ user: 'dragoman', password, tls, replicas: 3 as const, prefix: 'drg' },
    })
    const ca = join(folder, 'secrets/nats_ca.pem')
    const open = (nats: ReturnType<typeof settings>) =>
      NatsFleet.open({
        ...{ settings: nats, node: 'a', key: 'a key for tests only', version: '0', clock: systemClock },
        log: noopLogger,
      })
    await using fleet = await open(settings(await secret('nats_password'), { ca }))
    await until(() => fleet.status === 'up', 30_000, 'the buckets with three replicas')
    expect((await fleet.registrar.claim('room desk')).kind).toBe('home')

    await using wrong = await open(settings('wrong', { ca }))
    await using unverified = await open(settings(await secret('nats_password'), undefined))
    expect([wrong.status, unverified.status]).toEqual(['away', 'away'])
  },
  60_000,
)

/** The three NATS servers of the compose file, on loopback. */
class Servers implements AsyncDisposable {
  readonly #children: ChildProcess[] = []

  /** Resolves to their ports. */
  async start(): Promise<number[]> {
    const configuration = await readFile(join(FOLDER, 'nats.conf'), 'utf8')
    const [ports, routes] = [await freePorts(), await freePorts()]
    await cp(join(folder, 'secrets/nats_users.conf'), join(folder, 'users.conf'))
    for (const [at, port] of ports.entries()) {
      const adapted = configuration
        .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
        .replace('0.0.0.0:6222', `127.0.0.1:${routes[at]}`)
        .replaceAll(/nats-(\d):6222/g, (_, number) => `localhost:${routes[Number(number) - 1]}`)
        .replace('/data', join(folder, `data${at}`))
        .replaceAll(/\/run\/secrets\/nats_(\w+)/g, (_, name) => join(folder, `secrets/nats_${name}.pem`))
      const file = join(folder, `nats-${at}.conf`)
      await writeFile(file, adapted)
      const env = { SERVER_NAME: `nats-${at + 1}` }
      this.#children.push(spawn(NATS_SERVER ?? '', ['-c', file], { stdio: 'ignore', env }))
    }
    return ports
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
}

async function freePorts(): Promise<number[]> {
  return [await freePort(), await freePort(), await freePort()]
}
