import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/app/settings/load.ts'
import type { Whereabouts } from '../../src/cli/serve.ts'
import { type ServeOptions, serve } from '../../src/cli/serve.ts'
import { Terminal } from '../../src/cli/terminal.ts'
import { LogLines } from '../support/log-lines.ts'

/** A terminal of 80 columns, or a pipe, and the output to it. */
function screen(isTTY: boolean) {
  const written: string[] = []
  const out = {
    isTTY,
    columns: 80,
    write(text: string) {
      written.push(text)
      return true
    },
  }
  return { terminal: new Terminal(out as never), lines: () => written.join('').split('\n') }
}

/** A server without embedded engines; it sends no requests to the service. */
async function serving(isTTY: boolean, overrides: object = {}, options: ServeOptions = {}) {
  const { terminal, lines } = screen(isTTY)
  const log = new LogLines()
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-serve-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const config = loadConfig({
    env: {},
    overrides: {
      ...{ port: 0, service: { url: 'http://127.0.0.1:9' } },
      ...{ stateFile: join(folder, 'state.db'), ...overrides },
    },
  })
  const running = await serve(config, terminal, log, options)
  onTestFinished(() => running[Symbol.asyncDispose]())
  const ask = async (path: string, key?: string) =>
    (
      await fetch(`${running.address}${path}`, {
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      })
    ).status
  return { running, lines, log, ask }
}

const keyIn = (lines: readonly string[]) => /^ {2}key {8}([\w-]{24}) /m.exec(lines.join('\n'))?.[1]

describe('the output of serve', () => {
  test('at a terminal: all addresses, with a key for this run, within 80 columns', async () => {
    const { running, lines, log, ask } = await serving(true)
    expect(lines()[0]).toBe(`Dragoman is on the line at ${running.address}`)
    const list = lines().filter(line => /^ {2}(\w+ {2,}| {10})/.test(line))
    expect(list.filter(line => line.length > 80)).toEqual([])
    for (const [name, path] of [
      ['talk', '/'],
      ['captions', '/captions/<room>'],
      ['control', '/v1/docs'],
      ['Twilio', '/twilio/voice'],
    ] as const) {
      expect(lines()).toContain(`  ${name.padEnd(9)}  ${running.address}${path}`)
      if (path !== '/twilio/voice') expect(await ask(path), path).toBe(200)
    }
    const key = keyIn(lines()) ?? ''
    expect(await ask('/v1/rooms', key)).toBe(200)
    expect(await ask('/v1/rooms', `${key}x`)).toBe(401)
    await running.app.leave()
    expect(log.all.length).toBeGreaterThan(0)
    expect(JSON.stringify(log.all)).not.toContain(key)
  })

  test('has a different key each time', async () => {
    const keys = new Set<string | undefined>()
    for (let run = 0; run < 3; run++) {
      const { lines } = await serving(true)
      keys.add(keyIn(lines()))
    }
    expect(keys.size).toBe(3)
    expect(keys.has(undefined)).toBe(false)
  })

  test('in a pipe: no key, and features that require one are reported as disabled', async () => {
    const { lines, ask } = await serving(false)
    expect(lines().join('\n')).not.toMatch(/key=|^ {2}key/m)
    expect(lines().join('\n')).toContain('--print-key, or control.keys')
    expect(await ask('/v1/rooms', 'a'.repeat(24))).toBe(401)
  })

  test('in a pipe: only the configured keys are valid', async () => {
    const key = 'a-long-random-key-of-the-desk'
    const { lines, ask } = await serving(false, { control: { keys: [{ name: 'desk', key }] } })
    expect(lines().join('\n')).not.toMatch(/key=|^ {2}key|--print-key/m)
    expect(await ask('/v1/rooms', key)).toBe(200)
  })

  test('with --print-key: a key in a pipe, too, in addition to the configured ones', async () => {
    const key = 'a-long-random-key-of-the-desk'
    const { lines, ask } = await serving(
      false,
      { control: { keys: [{ name: 'desk', key }] } },
      { printKey: true },
    )
    const start = keyIn(lines())
    expect([await ask('/v1/rooms', start), await ask('/v1/rooms', key)]).toEqual([200, 200])
    expect(lines().join('\n')).not.toContain(key)
  })

  test('with --json: one line for scripts, and messages on the other stream', async () => {
    const json = screen(false)
    const { running, lines } = await serving(true, {}, { json: json.terminal })
    const [line = '', ...rest] = json.lines()
    expect(rest).toEqual([''])
    const there: Whereabouts = JSON.parse(line)
    expect(there).toMatchObject({
      address: running.address,
      talk: `${running.address}/`,
      captions: `${running.address}/captions/<room>`,
      service: { url: 'http://127.0.0.1:9', embedded: false },
      languages: { speaks: 'en-us', hears: 'es-es' },
    })
    expect(there.key).toBeUndefined()
    expect(lines()[0]).toContain('on the line')
  })

  test('with --json and --print-key: the line includes the key', async () => {
    const json = screen(false)
    const { ask } = await serving(false, {}, { json: json.terminal, printKey: true })
    const { key }: Whereabouts = JSON.parse(json.lines()[0] ?? '')
    expect(await ask('/v1/rooms', key)).toBe(200)
  })
})
