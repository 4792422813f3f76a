import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { VoiceServer } from '../../../../src/simulator/discord/voice/voice-server.ts'
import { DiscordSimulator } from '../../../../src/simulator/index.ts'
import { until } from '../../../support/until.ts'

const opened: { destroy(): void }[] = []
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy()
})

/** A connection whose peer sends `words`, and then never responds. */
async function silent(port: number, words = '') {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  opened.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (words !== '') {
    socket.write(words)
    await once(socket, 'data')
  }
}

/** Resolves to whether `closing` finished in time. */
async function closes(closing: Promise<void>): Promise<unknown> {
  let over = false
  void closing.then(() => {
    over = true
  })
  return until(() => over, 5_000, 'closing')
}

test('a voice server closes during a client’s TLS handshake', async () => {
  const server = await VoiceServer.listen()
  await silent(Number(server.endpoint.split(':').at(-1)))
  // The server must have seen it.
  await new Promise(settle => setTimeout(settle, 50))
  expect(await closes(server.close())).toBe(true)
})

test('the simulator closes while a client ignores the end of its connection', async () => {
  const discord = await DiscordSimulator.listen()
  discord.faults.gateway.refuseConnections = true
  await silent(
    Number(new URL(discord.api).port),
    'GET /?v=10 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  )
  expect(await closes(discord.close())).toBe(true)
})
