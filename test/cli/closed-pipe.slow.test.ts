import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

test('a server whose output is no longer read continues, and shuts down cleanly on request', async () => {
  const env = { ...process.env, DRAGOMAN_SERVICE_URL: 'http://127.0.0.1:9' }
  const server = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], { env })
  onTestFinished(() => void server.kill('SIGKILL'))
  let printed = ''
  for await (const piece of server.stdout) {
    printed += piece
    if (printed.includes('Ctrl-C')) break
  }
  const [, address = ''] = /on the line at (\S+)/.exec(printed) ?? []
  server.stdout.destroy()
  server.stderr.destroy()
  expect((await fetch(`${address}/live`)).status).toBe(200)
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  // Log output during shutdown has no reader.
  expect(await ended).toEqual([0, null])
})
