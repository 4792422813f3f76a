import { expect, test } from 'vitest'
import { PhoneLine, placeCalls, voiceOf } from '../../../../src/simulator/index.ts'
import { standIn } from '../../../support/simulator/fake-bridge.ts'
import { toneOf } from '../../../support/simulator/pcm.ts'

/** Other work can keep this machine busy. */
const PATIENT = { timeout: 10_000 }

test('many phones share one line and talk without end, and their figures are added up', async () => {
  await using server = await standIn({
    onMessage({ event, media, streamSid }, { socket }) {
      if (event === 'media')
        socket.send(`{"event":"media","streamSid":"${streamSid}","media":{"payload":"${media?.payload}"}}`)
    },
  })
  const line = new PhoneLine()
  const heard = new Map<number, number>()
  await using crowd = await placeCalls({
    count: 10,
    line,
    voice: voiceOf(toneOf(200), 8000, { loop: true }),
    rampMs: 50,
    call: index => ({
      webhook: server.webhook,
      allowInsecureStream: true,
      onMedia: (_, bytes) => heard.set(index, (heard.get(index) ?? 0) + bytes),
    }),
  })
  expect(line.size).toBe(10)
  await expect.poll(() => crowd.report().messages, PATIENT).toBeGreaterThan(100)
  const report = crowd.report()
  expect(report).toMatchObject({ live: 10, warnings: [], errors: [] })
  expect(report.bytes).toBe([...heard.values()].reduce((sum, bytes) => sum + bytes, 0))
  expect(report.sendLateness.count).toBe(report.sent)
  expect(() => crowd.calls[0]?.heard()).toThrow(TypeError)
  await crowd.hangUp()
  expect(line.size).toBe(0)
  expect(crowd.report().live).toBe(0)
})
