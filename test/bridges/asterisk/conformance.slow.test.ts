import { describe, expect, test } from 'vitest'
import { asteriskCarrier } from '../../../src/bridges/asterisk/carrier.ts'
import type { Carrier } from '../../../src/bridges/telephony/ports/carrier.ts'
import type { StreamMessages } from '../../../src/bridges/telephony/ports/media-dialect.ts'
import { AsteriskNetwork, SECRET } from '../../support/conformance/asterisk-network.ts'
import { conforms } from '../../support/conformance/suite.ts'
import { type TelephonySubject, telephonyChecks } from '../../support/conformance/telephony.ts'

interface AsteriskSubject extends TelephonySubject {
  readonly network: AsteriskNetwork
}

const subject =
  (sampleRate: 8_000 | 16_000, broken = (right: Carrier) => right, stream?: 'websocket') =>
  async (): Promise<AsteriskSubject> => {
    const network = await AsteriskNetwork.open(sampleRate)
    const carrier = asteriskCarrier({
      ...{ secrets: [SECRET], sampleRate, stream, audioSocket: { port: 0 } },
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

const webSocket = (rate: 8_000 | 16_000, broken = (right: Carrier) => right) =>
  subject(rate, broken, 'websocket')

conforms('Asterisk is a carrier with chan_websocket, at 8 kHz', telephonyChecks, webSocket(8_000), done)
conforms('Asterisk is a carrier with chan_websocket, at 16 kHz', telephonyChecks, webSocket(16_000), done)

describe('a broken dialect of chan_websocket', () => {
  /** Changes the messages of a stream, as a function of the right ones. */
  const messages =
    (change: (right: StreamMessages) => Partial<StreamMessages>) =>
    (right: Carrier): Carrier => ({
      ...right,
      media: {
        ...right.media,
        messages: start => {
          const own = right.media.messages(start)
          return { ...own, ...change(own) }
        },
      },
    })

  test.each([
    [
      'sends incomplete frames',
      'confirms a mark once the audio before it was played',
      messages(() => ({ media: (pcm, length) => Buffer.from(pcm.subarray(0, length - 2)) })),
      'chan_websocket: the last',
    ],
    [
      'sends plain text',
      'confirms a mark once the audio before it was played',
      messages(() => ({ mark: name => `MARK_MEDIA ${name}` })),
      'chan_websocket: unknown command',
    ],
    [
      'sends long commands',
      'confirms a mark once the audio before it was played',
      messages(({ mark }) => ({ mark: name => mark(name.padEnd(120, '-')) })),
      'chan_websocket: a command of',
    ],
    [
      'clears as jambonz does',
      'drops queued audio when it is flushed, and confirms none of its marks',
      messages(() => ({ clear: () => '{"type":"killAudio"}' })),
      'chan_websocket: unknown command',
    ],
  ] as const)('that %s is detected', async (_, name, broken, fault) => {
    const tried = await webSocket(8_000, broken)()
    // Faults fail a subject, whether its check passes or not.
    await Promise.resolve(telephonyChecks[name]?.({ ...tried, patienceMs: 1_500 })).catch(() => {})
    await tried.network[Symbol.asyncDispose]()
    expect(tried.network.simulator.faults.join('\n')).toContain(fault)
  })
})

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
