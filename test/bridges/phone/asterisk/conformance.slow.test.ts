import { expect } from 'vitest'
import { asteriskCarrier } from '../../../../src/bridges/phone/asterisk/dialect.ts'
import { AsteriskNetwork, SECRET } from '../../../support/conformance/asterisk-network.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { type TelephonySubject, telephonyChecks } from '../../../support/conformance/telephony.ts'

interface AsteriskSubject extends TelephonySubject {
  readonly network: AsteriskNetwork
}

const subject = (sampleRate: 8_000 | 16_000, stream?: 'websocket') => async (): Promise<AsteriskSubject> => {
  const network = await AsteriskNetwork.open(sampleRate)
  const carrier = asteriskCarrier({
    ...{ secrets: [SECRET], sampleRate, stream, audioSocket: { port: 0 } },
    onPort: port => {
      network.audioPort = port
    },
  })
  return { carrier, network, api: network.api, patienceMs: 8_000 }
}

/** The simulator is strict: a carrier that conforms sends nothing that Asterisk would refuse. */
const done = async ({ network }: TelephonySubject) => {
  await network[Symbol.asyncDispose]()
  expect((network as AsteriskNetwork).simulator.faults).toEqual([])
}

conforms('Asterisk is a carrier, at 8 kHz', telephonyChecks, subject(8_000), done)
conforms('Asterisk is a carrier, at 16 kHz', telephonyChecks, subject(16_000), done)

conforms(
  'Asterisk is a carrier with chan_websocket, at 8 kHz',
  telephonyChecks,
  subject(8_000, 'websocket'),
  done,
)
conforms(
  'Asterisk is a carrier with chan_websocket, at 16 kHz',
  telephonyChecks,
  subject(16_000, 'websocket'),
  done,
)
