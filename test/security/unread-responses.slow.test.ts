import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'

const MIB = 1024 * 1024
const CONNECTIONS = 10
const AHEAD = 400

/** A bridge in its own process, for measuring its memory. */
async function bridge() {
  const module = new URL('../../src/app/app.ts', import.meta.url).href
  const config = {
    host: '127.0.0.1',
    port: 0,
    service: { url: 'http://127.0.0.1:9', apiKey: 'none' },
    languages: { speaks: 'en-us', hears: 'es-es' },
    publicUrl: 'https://bridge.example.com',
    twilio: { authToken: ['0123456789abcdef0123456789abcdef'] },
    browser: { access: 'anyone' },
    control: { keys: [{ name: 'desk', key: 'a-key-of-the-desk-that-nobody-would-guess' }] },
    metrics: { access: 'open' },
  }
  const script = `import { buildApp } from ${JSON.stringify(module)}
    const app = await buildApp(${JSON.stringify(config)})
    console.log(await app.listen())`
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return {
    port: Number(new URL(line.trim()).port),
    rss: async () =>
      1024 * Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1]),
  }
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

function unread(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause()
  socket.write(text)
  onTestFinished(() => void socket.destroy())
  return socket
}

test.skipIf(process.platform !== 'linux')(
  'connections that send 400 requests ahead and read nothing cost a few MB; a slow reader gets its file',
  async () => {
    const { port, rss } = await bridge()
    const recording = '/talk/recordings/sense-and-sensibility-1.wav'
    const paths = [
      recording,
      '/v1/docs/json',
      '/v1/docs',
      '/metrics',
      '/',
      '/files/pages/page/base.css',
      '/live',
    ]
    // Everything is loaded and compiled once.
    for (const path of paths)
      for (let n = 0; n < 20; n++)
        expect((await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).length).toBeGreaterThan(1)
    const slow = connect(port, '127.0.0.1').setEncoding('latin1')
    slow.write(request(recording).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    const slowly = once(slow, 'close')
    let read = 0
    slow.on('data', (text: string) => {
      read += text.length
      slow.pause()
      setTimeout(() => slow.resume(), 1_000)
    })
    const before = await rss()
    for (const path of paths) {
      const sockets = Array.from({ length: CONNECTIONS }, () => unread(port, request(path).repeat(AHEAD)))
      await pause(1_500)
      expect((await rss()) - before, path).toBeLessThan(32 * MIB)
      for (const socket of sockets) socket.destroy()
    }
    await slowly
    expect(read).toBeGreaterThan(227_000)
  },
)
