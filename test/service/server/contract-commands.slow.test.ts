import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { decoded, KEY, realService } from '../../support/service/real-service.ts'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(`${PROJECT}docs/service/http.md`, 'utf8')
const socketPage = readFileSync(`${PROJECT}docs/service/protocol.md`, 'utf8')

/** The commands, each with the documented response, if any. */
const examples = Array.from(
  page.matchAll(/```sh\n(curl [^`]+)\n```\n(?:\n```json\n([\s\S]+?)\n```)?/g),
  ([, command = '', answer]) => ({ command, answer }),
)

const real = realService()
const folder = mkdtempSync(join(tmpdir(), 'dragoman-curl-'))
for (const name of ['recordings', 'LICENSE']) symlinkSync(PROJECT + name, join(folder, name))
afterAll(() => rmSync(folder, { recursive: true }))

/** Shape of a value: names and types, and the first element of a list. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shape(each)]))
}

test('the page has commands', () => expect(examples.length).toBeGreaterThan(5))

test.each(examples)('$command', async ({ command, answer }) => {
  const env = { ...process.env, BASE: real.url, KEY }
  const options = { cwd: folder, env, maxBuffer: 16 << 20 }
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl ', 'curl -sS ')], options)
  const [, output] = / -o (\S+)$/.exec(command) ?? []
  if (output) expect(decoded(readFileSync(join(folder, output))).ms).toBeGreaterThan(500)
  if (!answer) return
  const [found, said] = [JSON.parse(stdout), JSON.parse(answer)]
  expect(shape(found)).toEqual(shape(said))
  // The transcript can differ in a word between machines; everything else is exact.
  if (!/mode=(stt|tts)/.test(command) || said.code) expect(found).toEqual(said)
})

test.each(['languages', 'voices'])('documents the list of %s', async name => {
  const [, documented = ''] =
    new RegExp(`GET /api/${name}\`[\\s\\S]+?\`\`\`json\\n([\\s\\S]+?)\\n\`\`\``).exec(page) ?? []
  const response = await fetch(`${real.url}/api/${name}`, { headers: { 'x-api-key': KEY } })
  expect(shape(JSON.parse(documented))).toEqual(shape(await response.json()))
})

test('the frames of the session match', async () => {
  const lines = /```\nwscat ([\s\S]+?)```/.exec(socketPage)?.[1]?.trim().split('\n') ?? []
  const [first = '', ...frames] = lines
  const query = /socket\.io\/\?[^"]+/.exec(first)?.[0]
  const socket = new WebSocket(`${real.url.replace('http', 'ws')}/${query}`)
  const heard: string[] = []
  let wake = () => {}
  socket.on('message', data => {
    heard.push(String(data))
    wake()
  })
  await new Promise(resolve => socket.once('open', resolve))
  for (const frame of frames) {
    const text = frame.slice(2).replace('the key', KEY)
    if (frame.startsWith('>')) socket.send(text)
    else {
      while (heard.length === 0) await new Promise<void>(resolve => (wake = resolve))
      expect(heard.shift()?.replace(/"sid":"[^"]+"/, '"sid":"…"')).toBe(text)
    }
  }
  expect(frames.length).toBeGreaterThan(5)
  socket.terminate()
})
