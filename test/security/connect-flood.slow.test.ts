import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ServiceProcess } from '../../src/service/server/process/service-process.ts'
import { query, TestClient } from '../support/service/test-client.ts'

/** Too long to guess: it is accepted from an address that sends wrong keys. */
const KEY = 'a-key-for-tests-that-cannot-be-guessed'
const SOCKETS = '/socket.io/?EIO=4&transport='
const SEPARATOR = '\u001e'

/** Number of lines in the service's log by message, as the bridge receives them. */
const lines = new Map<string, number>()
const note = (_fields: object, message: string) => void lines.set(message, (lines.get(message) ?? 0) + 1)
const off = { enabled: false }
let service: ServiceProcess

beforeAll(async () => {
  service = await ServiceProcess.start(
    {
      apiKeys: [KEY],
      engines: { pocketsphinx: off, apertium: off },
    },
    { log: { debug: note, info: note, warn: note, error: note } },
  )
})
afterAll(() => service.close())

async function rssMb(): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024
}

/** Requests `/health` on one connection until stopped; returns the response times, sorted (ms). */
function probing(): { stop(): Promise<number[]> } {
  const times: number[] = []
  let running = true
  const done = (async () => {
    while (running) {
      const began = performance.now()
      expect((await fetch(`${service.url}/health`)).status).toBe(200)
      times.push(performance.now() - began)
      await new Promise(resolve => setTimeout(resolve, 25))
    }
  })()
  return {
    async stop() {
      running = false
      await done
      return times.sort((a, b) => a - b)
    },
  }
}

/** Floods a WebSocket with `packet`, numbered, until it is closed; returns how many were sent. */
async function flooded(packet: (n: number) => string, until: number): Promise<number> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}${SOCKETS}websocket`)
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  let sent = 0
  const open = await Promise.race([once(socket, 'message').then(() => true), closed.then(() => false)])
  while (open && socket.readyState === WebSocket.OPEN && performance.now() < until) {
    for (let n = 0; n < 200; n++) socket.send(packet(sent++))
    await new Promise(setImmediate)
  }
  socket.terminate()
  return sent
}

async function polling(): Promise<string> {
  const opened = await (await fetch(`${service.url}${SOCKETS}polling`)).text()
  const { sid } = JSON.parse(opened.slice(1)) as { sid: string }
  return `${service.url}${SOCKETS}polling&sid=${sid}`
}

const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'text/plain' } }).then(
    response => response.status,
    () => 0,
  )

test('one polling request of 1 MB full of CONNECT packets does not delay others', async () => {
  const packets = Array.from({ length: 120_888 }, (_, n) => `40/${n.toString(36)},`).join(SEPARATOR)
  const url = await polling()
  const probe = probing()
  expect(await post(url, packets.slice(0, 1_048_000))).toBe(400)
  // The maximum size before a namespace is joined.
  for (let n = 0; n < 20; n++) await post(await polling(), packets.slice(0, 60_000))
  const times = await probe.stop()
  // Over 2.9 s if every packet is processed. The limit leaves room for a busy machine.
  expect(times.at(-1)).toBeLessThan(500)
  expect(service.restarts).toBe(0)
  expect(lines.get('connection rejected') ?? 0).toBeLessThan(100)
})

test.each([
  ['new names', (n: number) => `40/${n.toString(36)},`],
  ['known names without a key', () => '40/stt,{}'],
  ['known names with wrong keys', (n: number) => `40/sts,{"token":"guess-${n}"}`],
])('WebSockets that send only CONNECT packets to %s are harmless', async (_name, packet) => {
  const before = await rssMb()
  const probe = probing()
  const until = performance.now() + 1_000
  let connections = 0
  while (performance.now() < until) {
    await flooded(packet, until)
    connections++
  }
  const times = await probe.stop()
  expect(connections).toBeGreaterThan(1)
  expect(times.at(-1)).toBeLessThan(500)
  expect(await rssMb()).toBeLessThan(before + 64)
  expect(service.restarts).toBe(0)
  expect(lines.get('connection rejected')).toBeLessThan(150)
  const client = new TestClient(`${service.url}/tts`, KEY, query())
  await client.until('start')
  client.close()
})

test('closes a connection after a few rejected CONNECT packets', async () => {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}${SOCKETS}websocket`)
  const answers: string[] = []
  socket.on('message', data => answers.push(String(data)))
  socket.on('error', () => {})
  await once(socket, 'message')
  for (let n = 0; n < 5; n++) {
    socket.send('40/stt,{}')
    await expect.poll(() => answers.length).toBe(n + 2)
  }
  socket.send('40/stt,{}')
  await once(socket, 'close')
})

test('limits the bytes sent before a namespace is joined, even in a message that never ends', async () => {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}${SOCKETS}websocket`)
  socket.on('error', () => {})
  await once(socket, 'message')
  for (let n = 0; n < 9; n++) socket.send('x'.repeat(64 * 1024), { fin: false })
  await once(socket, 'close')
})
