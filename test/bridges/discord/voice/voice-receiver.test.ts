import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GCM_MODE, opened, sealed, XCHACHA_MODE } from '../../../../src/bridges/discord/voice/rtp-packet.ts'
import {
  KEY,
  OPUS,
  packet,
  SSRC,
  receptionStage as stage,
} from '../../../support/discord/receiver-harness.ts'
import { Listener } from '../../../support/discord/voice-listener.ts'

describe.each([GCM_MODE, XCHACHA_MODE])('%s', mode => {
  const session = { mode, key: KEY }

  test.each([
    ['plain', {}],
    ['with an extension', { extension: Buffer.alloc(8, 0x10) }],
    ['with contributors', { contributors: 3 }],
    ['with padding', { padding: 9 }],
    ['with all of it', { contributors: 1, extension: Buffer.alloc(4), padding: 1 }],
    ['whose ciphertext looks like an extension', { payload: Buffer.of(0xbe, 0xde, 0, 1, 2, 3) }],
  ] as const)('opens a packet %s', (_name, made) => {
    const wanted = 'payload' in made ? made.payload : OPUS
    expect(opened(packet({ mode, ...made }), session)).toEqual(wanted)
  })

  test('rejects modified packets', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const datagram = packet({ mode, extension: Buffer.alloc(4) })
        const place = at % datagram.length
        datagram[place] = datagram[place]! ^ change
        expect(opened(datagram, session)).toBeUndefined()
      }),
      { numRuns: 300, seed: 1 },
    )
  })

  test('opens its own packets', () => {
    const header = packet().subarray(0, 12)
    expect(opened(sealed(header, OPUS, session, 77), session)).toEqual(OPUS)
    expect(opened(sealed(header, OPUS, session, 77), { mode, key: randomBytes(32) })).toBeUndefined()
  })

  test('ignores more padding than there are bytes', () => {
    expect(opened(packet({ mode, payload: Buffer.alloc(0), padding: 1 }), session)).toHaveLength(0)
    const tooMuch = packet({ mode, payload: Buffer.of(1, 2, 200), padding: 0 })
    expect(opened(tooMuch, session)).toEqual(Buffer.of(1, 2, 200))
  })
})

describe('a datagram', () => {
  test('is delivered to its speaker’s listener', () => {
    const { reception, listener, give, counters } = stage()
    reception.named('anna', SSRC)
    give({ sequence: 9 })
    expect(listener.packets).toEqual([{ sequence: 9, timestamp: 9 * 960, ssrc: SSRC, opus: OPUS }])
    expect(counters.packets).toBe(1)
  })

  test('of a user without a listener is not even opened', () => {
    const { reception, give, counters } = stage()
    reception.named('ben', SSRC)
    give({ key: randomBytes(32) })
    expect(counters).toMatchObject({ packets: 0, undecryptable: 0, unattributed: 0 })
  })

  test('that is not audio is ignored', () => {
    const { reception, counters, listener } = stage()
    reception.named('anna', SSRC)
    for (const datagram of [
      packet({ type: 103 }),
      packet({ type: 72 }),
      Buffer.alloc(8),
      Buffer.alloc(74),
      Buffer.alloc(0),
    ])
      reception.datagram(datagram, true)
    expect(listener.packets).toEqual([])
    expect(counters.undecryptable + counters.malformed + counters.unattributed).toBe(0)
    expect(reception.receivedAudio).toBe(false)
  })

  test.each([
    ['too large for Opus', Buffer.alloc(1_279, 0xf8)],
    ['of nothing', Buffer.alloc(0)],
    ['almost entirely of zeros', Buffer.concat([Buffer.of(0xf8), Buffer.alloc(60)])],
    ['of frames without end', Buffer.of(0xfb, 63, 1, 2, 3)],
  ])('%s is not speech', (_name, payload) => {
    const { reception, give, counters, listener } = stage()
    reception.named('anna', SSRC)
    give({ payload })
    expect(listener.packets).toEqual([])
    expect(counters.malformed).toBe(1)
  })

  test('that is repeated is counted and ignored, and a forged one does not take its number', () => {
    const { reception, give, counters, listener } = stage()
    reception.named('anna', SSRC)
    give({ sequence: 8, key: randomBytes(32) })
    for (const sequence of [7, 7, 8, 7, 8, 9]) give({ sequence })
    expect(listener.packets.map(({ sequence }) => sequence)).toEqual([7, 8, 9])
    expect(counters).toMatchObject({ duplicate: 3, undecryptable: 1 })
    for (let sequence = 10; sequence < 40; sequence++) give({ sequence })
    expect(listener.packets.length).toBe(33)
    // Another stream can start with any number.
    reception.named('anna', SSRC + 1)
    give({ sequence: 39, ssrc: SSRC + 1 })
    expect(listener.packets.length).toBe(34)
  })
})

describe('names', () => {
  test('that arrive late release the packets before them, in order', () => {
    const { reception, listener, give, counters } = stage()
    for (let sequence = 0; sequence < 10; sequence++) give({ sequence })
    reception.named('anna', SSRC)
    expect(listener.packets.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(counters).toMatchObject({ unattributed: 10, attributed: 10 })
  })

  test('that arrive late release no packets from before the listener', () => {
    const { reception, listener, give, clock } = stage()
    reception.unlisten('anna', listener)
    for (let sequence = 0; sequence < 5; sequence++) give({ sequence })
    clock.advance(100)
    reception.listen('anna', listener)
    for (let sequence = 5; sequence < 10; sequence++) give({ sequence })
    reception.named('anna', SSRC)
    expect(listener.packets.map(({ sequence }) => sequence)).toEqual([5, 6, 7, 8, 9])
  })

  test('that arrive too late release nothing', () => {
    const { reception, listener, give, clock } = stage()
    for (let sequence = 0; sequence < 10; sequence++) give({ sequence })
    clock.advance(2_100)
    reception.named('anna', SSRC)
    expect(listener.packets).toEqual([])
  })

  test('are awaited with a limited number of packets and streams, from the server only', () => {
    const { reception, listener, give, counters } = stage()
    for (let sequence = 0; sequence < 500; sequence++) give({ sequence })
    reception.named('anna', SSRC)
    expect(listener.packets.length).toBe(100)
    expect(listener.packets.at(-1)?.sequence).toBe(499)
    for (let ssrc = 1; ssrc <= 100; ssrc++) give({ ssrc })
    reception.datagram(packet({ ssrc: 200 }), false)
    expect(counters.unknownSource).toBe(1)
    for (let ssrc = 1; ssrc <= 200; ssrc++) reception.named('anna', ssrc)
    expect(listener.packets.length).toBe(108)
  })

  test('have one SSRC each: the old one is released', () => {
    const { reception, listener, give, counters } = stage()
    reception.named('anna', SSRC)
    reception.named('anna', SSRC + 1)
    give()
    expect(listener.packets).toEqual([])
    expect(counters.unattributed).toBe(1)
    give({ ssrc: SSRC + 1 })
    expect(listener.packets.length).toBe(1)
  })

  test('move with the SSRC, and are removed with the user', () => {
    const { reception, listener, give, counters } = stage()
    const ben = new Listener()
    reception.listen('ben', ben)
    reception.named('anna', SSRC)
    reception.named('ben', SSRC)
    give()
    expect(ben.packets.length).toBe(1)
    reception.left('ben')
    give()
    expect(ben.packets.length).toBe(1)
    expect(listener.packets.length).toBe(0)
    expect(counters.unattributed).toBe(1)
    reception.left('nobody')
  })

  test('end with the session, but listeners stay', () => {
    const { reception, listener, give } = stage()
    reception.named('anna', SSRC)
    reception.begin()
    give()
    reception.use({ mode: GCM_MODE, key: KEY })
    reception.named('anna', SSRC)
    give({ sequence: 8 })
    expect(listener.packets.at(-1)?.sequence).toBe(8)
  })
})

test('a named sink is removed only while it is the current one', () => {
  const { reception, give } = stage()
  const next = new Listener()
  reception.named('anna', SSRC)
  reception.listen('anna', next)
  reception.unlisten('anna', new Listener())
  give()
  expect(next.packets.length).toBe(1)
  reception.unlisten('anna', next)
  reception.unlisten('anna')
  give()
  expect(next.packets.length).toBe(1)
})
