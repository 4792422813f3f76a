import { describe, expect, it } from 'vitest'
import { placeCall } from '../../../simulator/twilio/phone/call.ts'
import type { CallOptions } from '../../../simulator/twilio/phone/call-options.ts'
import type { Leg } from '../../../src/core/model/leg.ts'
import { AUTH_TOKEN, Harness, PUBLIC_URL, until } from '../../support/phone/twilio-bridge-harness.ts'

const TONE = Int16Array.from({ length: 8_000 }, (_, n) =>
  Math.round(8_000 * Math.sin((2 * Math.PI * 400 * n) / 8_000)),
)

/** Echoes every frame received. */
const echo = (leg: Leg) => {
  leg.attach({ write: frame => leg.play(frame), marked() {}, dtmf() {} })
}

async function phone(bridge: Harness, options: Partial<CallOptions> = {}) {
  const address = bridge.app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return placeCall({
    webhook: `http://127.0.0.1:${port}/twilio/voice`,
    publicUrl: PUBLIC_URL,
    authToken: AUTH_TOKEN,
    ...options,
  })
}

describe('a phone as strict as Twilio', () => {
  it('reports no violation, and hears its own speech', async () => {
    await using bridge = await Harness.open({ relay: { admit: leg => echo(leg) } })
    await using call = await phone(bridge)
    await call.say(TONE)
    await call.quietFor(300)
    await call.hangUp()
    const { errors, warnings, streams } = call.report()
    expect([errors, warnings]).toEqual([[], []])
    expect(streams.map(stream => stream.end?.by)).toEqual(['phone'])
    const heard = call.heard()
    const loud = heard.reduce((count, sample) => count + (Math.abs(sample) > 2_000 ? 1 : 0), 0)
    expect(loud).toBeGreaterThan(0.75 * TONE.length)
    expect(bridge.log.complaints).toEqual([])
  })

  it('can connect through a proxy', async () => {
    await using bridge = await Harness.open()
    await using call = await phone(bridge, { proxied: true })
    await until(() => bridge.relay.admitted.length === 1)
    expect(call.report().errors).toEqual([])
  })

  it('continues in the same room after its connection broke', async () => {
    await using bridge = await Harness.open()
    await using call = await phone(bridge)
    await until(() => bridge.relay.admitted.length === 1)
    call.drop()
    await until(() => bridge.relay.admitted.length === 2)
    expect(bridge.relay.admitted[1]?.invitation).toEqual(bridge.relay.admitted[0]?.invitation)
    expect(call.live).toBe(true)
  })

  it('is hung up when the leg is closed', async () => {
    await using bridge = await Harness.open()
    await using call = await phone(bridge)
    const admitted = await until(() => bridge.relay.admitted[0])
    await admitted.leg.close({ kind: 'hangup', by: 'local' })
    await call.ended
    expect(call.live).toBe(false)
    expect(bridge.relay.admitted).toHaveLength(1)
  })

  it.each([
    ['none', 'none'],
    ['another token', 'wrong-token'],
    ['https', 'https'],
    ['another path', 'other-path'],
  ] as const)(
    'hears an apology when its streams are rejected: signature of %s',
    async (_what, streamSignature) => {
      await using bridge = await Harness.open({ limits: { maxResumes: 0 } })
      await using call = await phone(bridge, { quirks: { streamSignature } })
      await call.ended
      const { streams, said } = call.report()
      expect(streams.map(stream => stream.end)).toEqual([
        expect.objectContaining({ by: 'refused', code: 403 }),
      ])
      expect(said).toHaveLength(1)
    },
  )
})
