import { expect } from 'vitest'
import { JambonzSimulator } from '../../../../simulator/jambonz/jambonz-simulator.ts'
import { jambonzCarrier } from '../../../../src/bridges/phone/jambonz/dialect.ts'
import { JambonzNetwork } from '../../../support/conformance/jambonz-network.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { type TelephonySubject, telephonyChecks } from '../../../support/conformance/telephony.ts'

const simulators = new WeakMap<TelephonySubject, JambonzSimulator>()

const subject = (sampleRate: 8_000 | 16_000) => async () => {
  const simulator = await JambonzSimulator.listen({ callRate: sampleRate })
  const network = new JambonzNetwork(simulator)
  const carrier = jambonzCarrier({ webhookSecrets: [simulator.webhookSecret], sampleRate })
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
