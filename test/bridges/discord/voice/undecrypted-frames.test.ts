import { describe, expect, test } from 'vitest'
import type { DaveSession } from '../../../../src/bridges/discord/voice/dave-guard.ts'
import { GCM_MODE } from '../../../../src/bridges/discord/voice/rtp-packet.ts'
import { KEY, OPUS, receptionStage, SSRC } from '../../../support/discord/receiver-harness.ts'
import type { Listener } from '../../../support/discord/voice-listener.ts'

/** Encryption whose key is missing until `ready`. */
class LateDave implements DaveSession {
  readonly protocolVersion = 1
  reinitializing = false
  readonly pendingTransitions = new Map<number, number>()
  ready = false
  get session() {
    return { ready: this.ready, canPassthrough: () => false }
  }
  decrypt = (frame: Buffer): Buffer => Buffer.from(frame.subarray(0, 6))
  recoverFromInvalidTransition(): void {}
}

describe('frames that arrive before their key', () => {
  const CIPHERTEXT = Buffer.concat([OPUS, Buffer.alloc(8, 1), Buffer.of(1, 12, 0xfa, 0xfa)])
  const begun = () => {
    const dave = new LateDave()
    const made = receptionStage(dave)
    made.reception.named('anna', SSRC)
    return { ...made, dave }
  }
  const sequences = ({ packets }: Listener) => packets.map(({ sequence }) => sequence)

  test('are decrypted when it arrives, in order, before the first frame that is readable at once', () => {
    const { dave, give, reception, listener, counters } = begun()
    for (const sequence of [1, 2, 3]) give({ sequence, payload: CIPHERTEXT })
    reception.rekeyed()
    dave.ready = true
    expect(listener.packets).toEqual([])
    reception.rekeyed()
    give({ sequence: 4, payload: CIPHERTEXT })
    expect(sequences(listener)).toEqual([1, 2, 3, 4])
    expect(listener.packets[0]).toEqual({ sequence: 1, timestamp: 960, ssrc: SSRC, opus: OPUS })
    expect(counters).toMatchObject({ packets: 4, tooEarly: 3, decryptedLate: 3 })
  })

  test('are kept for a limited time, in a limited number', () => {
    const { dave, give, reception, listener, clock } = begun()
    give({ sequence: 1, payload: CIPHERTEXT })
    clock.advance(1_100)
    for (let sequence = 2; sequence < 102; sequence++) give({ sequence, payload: CIPHERTEXT })
    dave.ready = true
    reception.rekeyed()
    expect(listener.packets.length).toBe(50)
    expect(sequences(listener)[0]).toBe(52)
    give({ sequence: 102, payload: CIPHERTEXT })
    clock.advance(1_100)
    dave.ready = false
    give({ sequence: 103, payload: CIPHERTEXT })
    clock.advance(1_100)
    dave.ready = true
    reception.rekeyed()
    expect(listener.packets.length).toBe(51)
  })

  test('are dropped with their speaker or listener', () => {
    for (const gone of ['left', 'unlisten', 'begin'] as const) {
      const { dave, give, reception, listener } = begun()
      give({ sequence: 1, payload: CIPHERTEXT })
      if (gone === 'begin') reception.begin()
      else reception[gone]('anna')
      reception.use({ mode: GCM_MODE, key: KEY })
      reception.listen('anna', listener)
      reception.named('anna', SSRC)
      dave.ready = true
      reception.rekeyed()
      give({ sequence: 2, payload: CIPHERTEXT })
      expect(sequences(listener)).toEqual([2])
    }
  })
})
