import { describe, expect, test } from 'vitest'
import { asteriskCarrier } from '../../src/bridges/asterisk/carrier.ts'
import type { Carrier } from '../../src/bridges/telephony/ports/carrier.ts'
import { AsteriskNetwork, SECRET } from './asterisk-network.ts'
import { conforms } from './suite.ts'
import { type TelephonySubject, telephonyChecks } from './telephony.ts'

interface AsteriskSubject extends TelephonySubject {
  readonly network: AsteriskNetwork
}

const subject =
  (sampleRate: 8_000 | 16_000, broken = (right: Carrier) => right) =>
  async (): Promise<AsteriskSubject> => {
    const network = await AsteriskNetwork.open(sampleRate)
    const carrier = asteriskCarrier({
      ...{ secrets: [SECRET], sampleRate, audioSocket: { port: 0 } },
      onPort: port => {
        network.audioPort = port
      },
    })
    return { carrier: broken(carrier), network, api: network.api, patienceMs: 8_000 }
  }

/** The simulator is strict: a carrier that conforms sends nothing that Asterisk would refuse. */
const done = async ({ network }: TelephonySubject) => {
  await network[Symbol.asyncDispose]()
  expect((network as AsteriskNetwork).simulator.faults).toEqual([])
}

conforms('Asterisk is a carrier, at 8 kHz', telephonyChecks, subject(8_000), done)
conforms('Asterisk is a carrier, at 16 kHz', telephonyChecks, subject(16_000), done)

describe('a broken dialect of Asterisk', () => {
  test('that sends ahead of real time fails', async () => {
    const broken = (right: Carrier): Carrier => ({ ...right, media: { ...right.media, queue: 'carrier' } })
    const tried = await subject(8_000, broken)()
    const check = telephonyChecks['confirms a mark once the audio before it was played']
    await expect(check?.({ ...tried, patienceMs: 1_500 })).rejects.toThrow(/^expected|did not happen/)
    await tried.network[Symbol.asyncDispose]()
    expect(tried.network.simulator.faults.join('\n')).toContain('samples, not 160')
  })

  test('that sends another type of frame is disconnected', async () => {
    const broken = (right: Carrier): Carrier => ({
      ...right,
      media: {
        ...right.media,
        messages: start => ({
          ...right.media.messages(start),
          media: (_pcm, length) =>
            Buffer.concat([Buffer.from([0x11, length >> 8, length & 255]), Buffer.alloc(length)]),
        }),
      },
    })
    const tried = await subject(8_000, broken)()
    const check = telephonyChecks['drops queued audio when it is flushed, and confirms none of its marks']
    await expect(check?.({ ...tried, patienceMs: 1_500 })).rejects.toThrow(/^expected|did not happen/)
    await tried.network[Symbol.asyncDispose]()
    expect(tried.network.simulator.faults[0]).toBe('AudioSocket: frame of type 0x11')
  })
})
