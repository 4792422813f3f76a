import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/app/settings/load.ts'
import { TRANSCRIPT_FORMATS } from '../../../src/web/transcripts/formats.ts'
import { signatureOf } from '../../../src/web/webhooks/event.ts'
import { RETRY_MS } from '../../../src/web/webhooks/receiver.ts'
import { WEBHOOK_EVENTS } from '../../../src/web/webhooks/settings.ts'
import { until } from '../../support/until.ts'
import { controlled, KEY } from '../../support/web/control-harness.ts'

const page = readFileSync(new URL('../../../docs/guides/control-from-a-program.md', import.meta.url), 'utf8')
/** The text below a heading of the second level. */
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
const webhooks = section('Webhooks')
/** The first code span of each row of the first table in `text`. */
const firstCells = (text: string) =>
  text
    .split('\n')
    .filter(line => line.startsWith('|'))
    .slice(2)
    .map(row => /`([^`]+)`/.exec(row)?.[1])

describe('the page', () => {
  test('lists every webhook, format and retry delay', () => {
    expect(firstCells(webhooks)).toEqual(WEBHOOK_EVENTS)
    expect(firstCells(section('Transcripts'))).toEqual(TRANSCRIPT_FORMATS)
    expect(RETRY_MS.map(ms => ms / 1000)).toEqual([1, 5, 30, 2 * 60, 10 * 60, 30 * 60, 60 * 60])
    expect(webhooks).toContain('after 1 s, 5 s, 30 s, 2, 10, 30 and 60 minutes')
  })

  test('contains only valid settings', () => {
    const blocks = Array.from(page.matchAll(/```yaml\n([\s\S]+?)```/g), ([, text = '']) => parse(text))
    expect(blocks).toHaveLength(3)
    for (const overrides of blocks) expect(() => loadConfig({ env: {}, overrides })).not.toThrow()
  })
})

describe('the receiver’s check', () => {
  const code = Array.from(webhooks.matchAll(/```js\n([\s\S]+?)```/g), ([, text = '']) => text).at(-1)!
  const load = async () =>
    (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      isFromDragoman(
        header: string | undefined,
        body: string | Buffer,
        secret: string,
        nowMs?: number,
      ): boolean
    }

  test('accepts exactly what the server sends', async () => {
    const { isFromDragoman } = await load()
    const [secret, body, now] = ['a secret of the receiver', '{"text":"¿Quién?"}', 1_800_000_000_500]
    const header = signatureOf(secret, now, body)
    expect(isFromDragoman(header, body, secret, now)).toBe(true)
    expect(isFromDragoman(header, Buffer.from(body), secret, now + 299_000)).toBe(true)
    expect(isFromDragoman(header, body, secret, now + 301_000)).toBe(false)
    expect(isFromDragoman(header, body, secret, now - 302_000)).toBe(false)
    expect(isFromDragoman(header, `${body} `, secret, now)).toBe(false)
    expect(isFromDragoman(header, body, `${secret}x`, now)).toBe(false)
    expect(isFromDragoman(header.replace('t=1', 't=2'), body, secret, now)).toBe(false)
    for (const wrong of [undefined, '', 'v1=', header.slice(0, -1), `${header}00`, header.toUpperCase()])
      expect(isFromDragoman(wrong, body, secret, now)).toBe(false)
  })
})

/** The structure of a value: names and types, and for a list its first entry. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shape(each)]))
}

test('the commands work in sequence and return the documented responses', async () => {
  const examples = Array.from(
    section('Examples').matchAll(/```sh\n(.+)\n```\n(?:\n```json\n([\s\S]+?)\n```)?/g),
    ([, command = '', answer]) => ({ command, answer }),
  )
  expect(examples.length).toBeGreaterThan(7)
  const { url, live, run, connection, dialer } = await controlled()
  const env = { ...process.env, BASE: url, KEY }
  for (const { command, answer } of examples) {
    if (command.includes('/participants"')) {
      live('anna', { room: 'desk', speaks: 'en-us', hears: 'en-us', name: 'Anna' })
      live('bob', { room: 'desk', speaks: 'es-es', hears: 'es-es' })
      await run(100)
      connection('en-us', 'es-es').sink.result({
        utterance: '1',
        final: true,
        text: 'Hello',
        translation: 'Hola',
      })
    }
    const asking = promisify(execFile)('sh', ['-c', command.replace('curl ', 'curl -sS ')], { env })
    let done = false
    void asking.finally(() => {
      done = true
    })
    // The goodbye takes a while.
    await until(
      () => {
        void run(100)
        return done
      },
      20_000,
      command,
    )
    const { stdout } = await asking
    if (command.includes('format=vtt')) expect(stdout).toContain('<v Anna><lang en-US>Hello</lang>')
    else
      expect(JSON.parse(stdout).error !== undefined, `${command}\n${stdout}`).toBe(command.includes('lounge'))
    if (!answer) continue
    expect(shape(JSON.parse(stdout)), command).toEqual(shape(JSON.parse(answer)))
    if (JSON.parse(answer).error) expect(JSON.parse(stdout)).toEqual(JSON.parse(answer))
  }
  expect(dialer.calls).toHaveLength(1)
})
