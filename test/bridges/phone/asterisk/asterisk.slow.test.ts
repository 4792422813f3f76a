import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asteriskCarrier } from '../../../../src/bridges/phone/asterisk/dialect.ts'
import { AsteriskCallsApi } from '../../../../src/bridges/phone/asterisk/index.ts'
import { type CarrierBridge, registerCarrier } from '../../../../src/bridges/phone/carrier-bridge.ts'
import { CarrierDialer } from '../../../../src/bridges/phone/outbound/carrier-dialer.ts'
import type { EndReason } from '../../../../src/common/lifecycle.ts'
import type { Leg } from '../../../../src/core/model/leg.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { EXTENSIONS, SECRET } from '../../../support/conformance/asterisk-network.ts'
import { ARI_PASSWORD, freePort, hasAsterisk, RealAsterisk } from '../../../support/phone/real-asterisk.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const installed = await hasAsterisk()
if (!installed) console.warn('skipped: asterisk is not installed')

/** Phones without a trunk: one that echoes, and one that presses keys. Calls of the bridge reach the first one. */
const PHONES = `
[phones]
exten => echo,1,Answer()
 same => n,Echo()
exten => keys,1,Answer()
 same => n,Wait(1)
 same => n,SendDTMF(5#)
 same => n,Wait(30)
`

interface Admitted {
  readonly leg: Leg
  readonly frames: Int16Array[]
  readonly marks: string[]
  readonly keys: string[]
  end: EndReason | undefined
}

const heardMs = ({ frames }: Admitted, hz: number) =>
  20 * frames.filter(frame => loudness(frame, hz, 16_000) > 1_500).length

describe.skipIf(!installed).each([8_000, 16_000] as const)('a real Asterisk, at %i Hz', sampleRate => {
  const app = Fastify({ forceCloseConnections: true })
  const legs: Admitted[] = []
  let asterisk: RealAsterisk
  let bridge: CarrierBridge
  let dialer: CarrierDialer

  beforeAll(async () => {
    const httpPort = await freePort()
    const ari = { apiUrl: `http://127.0.0.1:${httpPort}`, user: 'dragoman', password: ARI_PASSWORD }
    let audioPort = 0
    const carrier = asteriskCarrier({
      ...{ secrets: [SECRET], sampleRate, audioSocket: { port: 0 } },
      onPort: port => {
        audioPort = port
      },
    })
    dialer = new CarrierDialer(
      { from: '+15005550001', allowedPrefixes: ['+34'], machineDetection: false },
      { api: new AsteriskCallsApi(ari) },
    )
    bridge = await registerCarrier(app, carrier, {
      relay: { admit: leg => void legs.push(attached(leg)) },
      ...{ local: true, dialer },
      invite: call => ({ room: call.callId }),
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const dialplan = EXTENSIONS.replace(/^DRAGOMAN_URL=.*$/m, `DRAGOMAN_URL=${url}/asterisk`)
      .replace(/^DRAGOMAN_LOGIN=.*$/m, `DRAGOMAN_LOGIN=dragoman:${SECRET}`)
      .replace(/^DRAGOMAN_AUDIO=.*$/m, `DRAGOMAN_AUDIO=127.0.0.1:${audioPort}`)
      .replace(/^DRAGOMAN_CODEC=.*$/m, `DRAGOMAN_CODEC=${sampleRate === 16_000 ? 'slin16' : 'slin'}`)
      .replace(/PJSIP.*@trunk/, 'Local/echo@phones')
    asterisk = await RealAsterisk.start(dialplan + PHONES, httpPort)
  })

  afterAll(async () => {
    await app.close()
    await asterisk?.[Symbol.asyncDispose]()
  })

  function attached(leg: Leg): Admitted {
    const got: Admitted = { leg, frames: [], marks: [], keys: [], end: undefined }
    leg.attach({
      write: frame => void got.frames.push(frame.slice()),
      marked: name => void got.marks.push(name),
      dtmf: digit => void got.keys.push(digit),
    })
    void leg.ended.then(reason => {
      got.end = reason
    })
    return got
  }

  async function call(phone: 'echo' | 'keys'): Promise<Admitted> {
    legs.length = 0
    await asterisk.command(`channel originate Local/+15005550001@dragoman extension ${phone}@phones`)
    return until(() => legs[0], 20_000, 'a leg')
  }

  test('carries audio in both directions, and the bridge knows what was played', async () => {
    const got = await call('echo')
    const leg = got.leg
    leg.play(sine(500, 600))
    leg.mark('played')
    await until(() => got.marks.length > 0, 20_000, 'the mark')
    // The phone echoes all of it.
    await until(() => heardMs(got, 500) >= 540, 20_000, 'the echo')
    await leg.close({ kind: 'hangup', by: 'local' })
    await asterisk.idle()
  })

  test('passes keys on', async () => {
    const got = await call('keys')
    await until(() => got.keys.length === 2, 20_000, 'keys')
    expect(got.keys).toEqual(['5', '#'])
    await got.leg.close({ kind: 'hangup', by: 'local' })
  })

  test('continues on a new stream after a handover', async () => {
    const got = await call('echo')
    for (const leg of bridge.legs) leg.handOver()
    const again = await until(() => legs[1], 20_000, 'another leg')
    expect(again.leg.call).toBe(got.leg.call)
    expect(got.end).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
    again.leg.play(sine(1_500, 400))
    await until(() => heardMs(again, 1_500) >= 340, 20_000, 'the echo')
    await asterisk.hangUp('Echo')
    await until(() => again.end, 20_000, 'the end')
    expect(again.end).toEqual({ kind: 'hangup', by: 'remote' })
  })

  test('places a call through ARI', async () => {
    legs.length = 0
    const placed = dialer.dial({ to: '+34600111222', invitation: { room: 'out' } })
    expect(await placed.outcome).toMatchObject({ kind: 'answered' })
    const got = await until(() => legs[0], 20_000, 'a leg')
    got.leg.play(sine(500, 400))
    await until(() => heardMs(got, 500) >= 340, 20_000, 'the echo')
    await placed.hangUp()
    await asterisk.idle()
  })
})
