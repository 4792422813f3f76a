import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import { guarded, PUBLIC, ringing, TOKEN } from '../support/security/guarded.ts'
import { type RawConnection, rawConnection, upgradeText } from '../support/security/raw.ts'

const SIGNED = { 'x-twilio-signature': sign(TOKEN, `${PUBLIC.replace('https', 'wss')}/twilio/media`) }

/** A raw media socket, just opened. */
async function opened(port: number, headers: Record<string, string> = {}): Promise<RawConnection> {
  const connection = rawConnection(port)
  connection.socket.write(upgradeText('/twilio/media', { ...SIGNED, ...headers }))
  await expect.poll(() => connection.text()).toContain('\r\n\r\n')
  expect(connection.text()).toMatch(/^HTTP\/1.1 101 /)
  return connection
}

/** The code of the close frame, which arrives last. */
function closeCode(connection: RawConnection): number {
  const bytes = Buffer.from(connection.text().split('\r\n\r\n').slice(1).join('\r\n\r\n'), 'latin1')
  return bytes.indexOf(0x88) < 0 ? 0 : bytes.readUInt16BE(bytes.indexOf(0x88) + 2)
}

/** One masked frame with a mask of zeros. */
const frame = (first: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), payload])

describe('a media socket', () => {
  test('rejects a frame that claims 2^63 bytes by its header', async () => {
    const { port, app } = await guarded()
    const before = process.memoryUsage.rss()
    const one = await opened(port)
    one.socket.write(Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))
    await one.over
    expect([1002, 1009]).toContain(closeCode(one))
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000)
    expect(app.relay.legs).toBe(0)
  })

  test('rejects a message in many small fragments after 32', async () => {
    const { port } = await guarded()
    const one = await opened(port)
    one.socket.write(frame(0x01, Buffer.from('{')))
    for (let n = 0; n < 40; n++) one.socket.write(frame(0x00, Buffer.from(' ')))
    await one.over
    expect([1002, 1008]).toContain(closeCode(one))
  })

  test('never negotiates compression, and does not inflate a compressed body', async () => {
    const { port } = await guarded()
    const one = await opened(port, {
      'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits',
    })
    expect(one.text()).not.toMatch(/sec-websocket-extensions/i)
    await one[Symbol.asyncDispose]()
    const fields = ringing()
    const bomb = gzipSync(Buffer.alloc(10_000_000, 'a'))
    const answer = await fetch(`http://127.0.0.1:${port}/twilio/voice`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-encoding': 'gzip',
        'x-twilio-signature': sign(TOKEN, `${PUBLIC}/twilio/voice`, fields),
      },
      body: bomb,
    })
    expect(answer.status).toBe(403)
  })

  test('rejects deep JSON or JSON with many keys by its size', async () => {
    const { port } = await guarded()
    for (const text of [
      '['.repeat(500_000),
      `{${Array.from({ length: 90_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
    ]) {
      const one = await opened(port)
      const payload = Buffer.from(text)
      const head = Buffer.alloc(14)
      head.writeUInt8(0x81, 0)
      head.writeUInt8(0xff, 1)
      head.writeBigUInt64BE(BigInt(payload.length), 2)
      one.socket.write(Buffer.concat([head, payload]))
      await one.over
      expect(closeCode(one)).toBe(1009)
    }
  })
})
