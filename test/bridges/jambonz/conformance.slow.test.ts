import { describe, expect, test } from 'vitest'
import { jambonzCarrier } from '../../../src/bridges/jambonz/carrier.ts'
import type { Carrier } from '../../../src/bridges/telephony/ports/carrier.ts'
import { JambonzSimulator } from '../../../src/simulator/jambonz/jambonz-simulator.ts'
import { JambonzNetwork } from '../../support/conformance/jambonz-network.ts'
import { conforms } from '../../support/conformance/suite.ts'
import { type TelephonySubject, telephonyChecks } from '../../support/conformance/telephony.ts'

const simulators = new WeakMap<TelephonySubject, JambonzSimulator>()

const subject =
  (sampleRate: 8_000 | 16_000, broken = (right: Carrier) => right) =>
  async () => {
    const simulator = await JambonzSimulator.listen({ callRate: sampleRate })
    const network = new JambonzNetwork(simulator)
    const carrier = broken(jambonzCarrier({ webhookSecrets: [simulator.webhookSecret], sampleRate }))
    const made: TelephonySubject = { carrier, network, api: network.api, patienceMs: 8_000 }
    simulators.set(made, simulator)
    return made
  }

/** The simulator is strict: a carrier that conforms does nothing that jambonz would ignore or misread. */
const done = async (tried: TelephonySubject) => {
  await tried.network[Symbol.asyncDispose]()
  const faults = simulators.get(tried)?.faults.filter(fault => !isExpected(fault))
  expect(faults).toEqual([])
}

/** The checks shut their bridge down before its calls have ended. */
const isExpected = (fault: string) => /no response|answered with (HTTP )?503/.test(fault)

conforms('jambonz is a carrier, at 8 kHz', telephonyChecks, subject(8_000), done)
conforms('jambonz is a carrier, at 16 kHz', telephonyChecks, subject(16_000), done)

describe('a broken dialect of jambonz', () => {
  test('that does not clear the queue fails', async () => {
    const broken = (right: Carrier): Carrier => ({
      ...right,
      media: {
        ...right.media,
        messages: start => ({ ...right.media.messages(start), clear: () => '{"type":"clearMarks"}' }),
      },
    })
    const tried = await subject(8_000, broken)()
    const check = telephonyChecks['drops queued audio when it is flushed, and confirms none of its marks']
    await expect(check?.({ ...tried, patienceMs: 1_500 })).rejects.toThrow(/^expected|did not happen/)
    await tried.network[Symbol.asyncDispose]()
  })

  test('that does not ask for streaming is not heard', async () => {
    const broken = (right: Carrier): Carrier => ({
      ...right,
      instructions: {
        ...right.instructions,
        connectStream: plan => {
          const { contentType, body } = right.instructions.connectStream(plan)
          return { contentType, body: body.replace('"streaming":true,', '') }
        },
      },
    })
    const tried = await subject(8_000, broken)()
    const check = telephonyChecks['confirms a mark once the audio before it was played']
    await expect(check?.({ ...tried, patienceMs: 1_500 })).rejects.toThrow(/^expected|did not happen/)
    await tried.network[Symbol.asyncDispose]()
    expect(simulators.get(tried)?.faults.join('\n')).toContain('bidirectional audio is not streamed')
  })
})
