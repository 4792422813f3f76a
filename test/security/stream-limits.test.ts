import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import { guarded, PUBLIC, TOKEN } from '../support/security/guarded.ts'

test('a media stream is closed above its limits', async () => {
  const limits = { maxMessageBytes: 2_048, messagesPerSecond: 50, messageBurst: 10 }
  const { app, port } = await guarded({}, { streamLimits: limits })
  const closed = async (messages: readonly string[]) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/twilio/media`, {
      headers: { 'x-twilio-signature': sign(TOKEN, `${PUBLIC.replace('https', 'wss')}/twilio/media`) },
    })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const code = new Promise(resolve => socket.once('close', resolve))
    for (const message of messages) socket.send(message)
    return await code
  }
  const connected = JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' })
  expect(await closed(['x'.repeat(3_000)])).toBe(1009)
  expect(await closed(Array(30).fill(connected))).toBe(1008)
  expect(Object.fromEntries(app.server.twilio.refused)).toMatchObject({ 'too-large': 1, flood: 1 })
})
