import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ENV, PACK_MS, PROJECT, packed, run } from '../support/e2e/packed.ts'

const INSTALL_MS = 300_000
const folders: string[] = []
let tarball: string

beforeAll(async () => {
  ;({ tarball } = await packed())
}, PACK_MS)

afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true }))))

interface Found {
  readonly entries: Readonly<Record<string, boolean | string>>
  readonly call: boolean | string
  readonly attached: boolean | string
  readonly traced: boolean | string
}

/** Installs the package beside `packages`, with npm and without force, and runs `peers.mjs` there. */
async function beside(...packages: string[]): Promise<Found> {
  const cwd = await mkdtemp(join(tmpdir(), 'dragoman-peers-'))
  folders.push(cwd)
  await writeFile(join(cwd, 'package.json'), '{ "name": "host", "private": true, "type": "module" }')
  // Not `--prefer-offline`: what the cache knows of the newest version can be old.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...options, tarball, ...packages], { cwd, env: ENV, timeout: INSTALL_MS })
  await copyFile(join(PROJECT, 'test/package/peers.mjs'), join(cwd, 'peers.mjs'))
  const { stdout } = await run(process.execPath, ['peers.mjs'], { cwd, env: ENV, timeout: 60_000 })
  return JSON.parse(stdout)
}

const failing = ({ entries }: Found) => Object.entries(entries).filter(([, outcome]) => outcome !== true)

it(
  'the oldest versions that work: everything loads, a call is placed, and Discord says what is too old',
  async () => {
    const found = await beside(
      ...['twilio@5.0.0', 'discord.js@14.17.0', '@discordjs/voice@0.18.0', 'fastify@5.0.0'],
      ...['@opentelemetry/api@1.9.0', '@opentelemetry/sdk-trace@2.9.0', '@opentelemetry/resources@2.9.0'],
      '@opentelemetry/exporter-trace-otlp-http@0.220.0',
    )
    expect(failing(found)).toEqual([])
    expect(found).toMatchObject({ call: true, traced: true })
    expect(found.attached).toMatch(
      /^NOT_INSTALLED: @discordjs\/voice 0\.18\.0 lacks Discord's end-to-end encryption.*@discordjs\/voice@0\.19/,
    )
  },
  INSTALL_MS,
)

it(
  'the newest versions: everything loads and works',
  async () => {
    const found = await beside(
      ...['twilio', 'discord.js@14', '@discordjs/voice', 'fastify', '@opentelemetry/api'].map(name =>
        name.lastIndexOf('@') > 0 ? name : `${name}@latest`,
      ),
      ...['sdk-trace', 'resources', 'exporter-trace-otlp-http'].map(name => `@opentelemetry/${name}@latest`),
    )
    expect(failing(found)).toEqual([])
    expect(found).toMatchObject({ call: true, attached: true, traced: true })
  },
  INSTALL_MS,
)

it(
  'versions that are too old for the features that need them: everything else loads',
  async () => {
    const found = await beside(
      ...['twilio@4.23.0', 'discord.js@13.17.1', '@discordjs/voice@0.11.0', '@opentelemetry/api@1.4.1'],
      ...['@opentelemetry/resources@1.30.1', '@nats-io/transport-node@3.0.0', 'sherpa-onnx-node@1.10.46'],
    )
    expect(failing(found)).toEqual([
      [
        'dragoman/discord',
        expect.stringMatching(/^NOT_INSTALLED: .*discord\.js 14\.17 or newer, not 13\.17\.1/),
      ],
    ])
    expect(found.call).toMatch(/^NOT_INSTALLED: .*twilio 5 or newer, not 4\.23\.0/)
  },
  INSTALL_MS,
)
