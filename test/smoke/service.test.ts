import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import type { StsResult } from '../../src/service/contract.ts'
import { rms } from '../../src/transcode/level.ts'
import { joined, pause, recording } from '../support/engines/recordings.ts'
import { LANGUAGES, RECEIVE, SEND } from '../support/service/test-client.ts'
import { Shell } from '../support/shell.ts'
import { decodeAll } from '../support/transcode/mp3-fixtures.ts'

test('a client of the embedded service sends English speech and receives its Spanish voice as mp3', async () => {
  await using shell = await Shell.open()
  const serving = shell.start('service', '--port', '0')
  const [, url = ''] = await serving.says(/Translation service at (http:\S+)/)
  const [, token] = await serving.says(/key for this run\s+(\S+)/)
  const socket = io(`${url}/sts`, {
    ...{ transports: ['websocket'], reconnection: false, forceNew: true },
    auth: { token },
    query: { ...LANGUAGES, sendAudio: JSON.stringify(SEND), receiveAudio: JSON.stringify(RECEIVE) },
  })
  onTestFinished(() => void socket.close())
  const received = <T>(name: string) =>
    new Promise<T>((resolve, reject) => {
      socket.once(name, resolve).once('error', body => reject(new Error(JSON.stringify(body))))
      socket.once('connect_error', reject).once('disconnect', reason => reject(new Error(reason)))
    })
  const [result, synthesized] = [received<StsResult>('result'), received<{ id: string }>('endSynth')]
  await received('start')
  const pcm = joined(recording(2), pause(1_000))
  const acks: unknown[] = []
  for (let at = 0; at < pcm.length; at += 960) {
    const piece = Buffer.from(pcm.slice(at, at + 960).buffer)
    acks.push(await socket.emitWithAck('write_stream', piece))
  }
  expect(new Set(acks)).toEqual(new Set([true]))
  const { id, final, text, translation, file } = await result
  expect([final, text]).toEqual([true, expect.stringContaining('young man')])
  expect(translation).toMatch(/hombre joven/)
  expect(await synthesized).toEqual({ id })
  const voice = decodeAll(new Uint8Array(file?.data ?? []))
  expect(voice.length).toBeGreaterThan(16_000)
  expect(rms(voice)).toBeGreaterThan(500)
  expect(await serving.end('SIGTERM'), serving.err).toBe(0)
})
