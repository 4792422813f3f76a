import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/app/settings/load.ts'
import { environmentOf, expectValidCompose } from './compose.ts'

const run = promisify(execFile)
const FOLDER = new URL('../../deploy/compose/', import.meta.url).pathname

interface Service {
  readonly command?: string[]
  readonly environment: Record<string, string>
  readonly secrets?: string[]
  readonly networks: string[]
  readonly build?: { context: string; dockerfile: string; target: string }
  readonly stop_grace_period?: string
  readonly read_only?: boolean
  readonly volumes: string[]
  readonly ports?: string[]
}
interface Compose {
  readonly services: Record<'bridge' | 'engines' | 'caddy', Service>
  readonly secrets: Record<string, { file: string }>
  readonly networks: Record<string, { internal?: boolean }>
}

const text = await readFile(join(FOLDER, 'compose.yaml'), 'utf8')
const compose = parse(text, { merge: true }) as Compose
const { bridge, engines, caddy } = compose.services

test('the compose file is valid by the schema of compose files', () => expectValidCompose(text))

test('refers to existing files, targets of the image and secrets', async () => {
  const dockerfile = await readFile(new URL('../../deploy/docker/Dockerfile', import.meta.url), 'utf8')
  for (const { build } of [bridge, engines]) {
    expect(dockerfile).toContain(` AS ${build?.target}\n`)
    await stat(join(FOLDER, build?.context ?? '', build?.dockerfile ?? ''))
  }
  for (const { volumes } of [bridge, engines, caddy])
    for (const volume of volumes)
      if (volume.startsWith('.')) await stat(join(FOLDER, volume.split(':')[0] ?? ''))
  for (const { secrets = [], environment } of [bridge, engines]) {
    for (const name of secrets) expect(compose.secrets[name]).toBeDefined()
    for (const [name, value] of Object.entries(environment))
      if (name.endsWith('_FILE')) expect(secrets.map(secret => `/run/secrets/${secret}`)).toContain(value)
  }
})

test('passes valid settings to bridge and engines', async () => {
  const settings = parse(await readFile(join(FOLDER, 'dragoman.yaml'), 'utf8'))
  const config = loadConfig({ env: environmentOf(bridge.environment), overrides: settings, starts: 'bridge' })
  expect(config).toMatchObject({ publicUrl: 'https://bridge.example.com', trustProxy: ['uniquelocal'] })
  const service = loadConfig({ env: environmentOf(engines.environment), starts: 'service' })
  expect(config.service.url).toBe(`http://engines:${service.embedded.port}`)
  expect(service.embedded).toMatchObject({ host: '0.0.0.0', apiKeys: [config.service.apiKey], open: false })
  expect(engines.environment.HEALTH_URL).toBe(`http://127.0.0.1:${service.embedded.port}/health`)
  expect(parseInt(bridge.stop_grace_period ?? '', 10)).toBeGreaterThan(config.drain.seconds)
})

test('isolates the engines, and exposes the bridge by its proxy only', () => {
  expect([engines.networks, compose.networks.back]).toEqual([['back'], { internal: true }])
  expect(engines.ports).toBeUndefined()
  expect(bridge.ports).toEqual(['127.0.0.1:8080:8080'])
  for (const service of [bridge, engines])
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
})

test('limits the resources of each service', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    expect(service, name).toMatchObject({
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      pids_limit: expect.any(Number),
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  }
})

test('its secrets are created once, and protected from others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-compose-'))
  try {
    await cp(join(FOLDER, 'secrets.sh'), join(folder, 'secrets.sh'))
    const { stdout } = await run('sh', [join(folder, 'secrets.sh')], { cwd: '/' })
    expect(stdout).toContain('secrets/twilio_auth_token')
    const key = await readFile(join(folder, 'secrets/service_key'), 'utf8')
    expect(key).toMatch(/^[0-9a-f]{48}$/)
    expect((await stat(join(folder, 'secrets'))).mode & 0o777).toBe(0o700)
    await run('sh', [join(folder, 'secrets.sh')], { cwd: '/' })
    expect(await readFile(join(folder, 'secrets/service_key'), 'utf8')).toBe(key)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
