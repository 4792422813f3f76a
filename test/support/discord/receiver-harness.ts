import { createCipheriv, randomBytes } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { LinkCounters } from '../../../src/bridges/discord/counters.ts'
import { DaveGuard, type DaveSession } from '../../../src/bridges/discord/voice/dave-guard.ts'
import { VoiceReceiver } from '../../../src/bridges/discord/voice/receiver.ts'
import { GCM_MODE, XCHACHA_MODE } from '../../../src/bridges/discord/voice/rtp-packet.ts'
import { Listener } from './voice-listener.ts'

export const KEY = randomBytes(32)
export const OPUS = Buffer.from([0xf8, 1, 2, 3, 4, 5])
export const SSRC = 4_711

export interface Made {
  mode?: string
  key?: Buffer
  sequence?: number
  ssrc?: number
  type?: number
  contributors?: number
  extension?: Buffer
  padding?: number
  payload?: Buffer
}

/** An audio packet, built only from Discord’s description of "rtpsize", without code under test. */
export function packet(made: Made = {}): Buffer {
  const { mode = GCM_MODE, key = KEY, sequence = 7, ssrc = SSRC, type = 120, contributors = 0 } = made
  const { extension, padding = 0, payload = OPUS } = made
  const fixed = Buffer.alloc(12 + 4 * contributors)
  fixed[0] = 0x80 | (padding ? 0x20 : 0) | (extension ? 0x10 : 0) | contributors
  fixed[1] = type
  fixed.writeUInt16BE(sequence, 2)
  fixed.writeUInt32BE(sequence * 960, 4)
  fixed.writeUInt32BE(ssrc, 8)
  const head = extension ? Buffer.concat([fixed, Buffer.of(0xbe, 0xde, 0, extension.length / 4)]) : fixed
  const pad = padding ? Buffer.concat([Buffer.alloc(padding - 1), Buffer.of(padding)]) : Buffer.alloc(0)
  const plain = Buffer.concat([extension ?? Buffer.alloc(0), payload, pad])
  const counter = Buffer.of(0, 0, 1, 2)
  const nonce = Buffer.alloc(mode === GCM_MODE ? 12 : 24)
  counter.copy(nonce)
  if (mode === XCHACHA_MODE)
    return Buffer.concat([head, xchacha20poly1305(key, nonce, head).encrypt(plain), counter])
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(head)
  return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag(), counter])
}

/** A reception with one listener, for Anna, who is not identified yet. */
export function receptionStage(dave?: DaveSession) {
  const clock = new FakeClock(1_000)
  const counters = new LinkCounters()
  const guard = new DaveGuard(clock, counters, () => {})
  guard.use(dave)
  const reception = new VoiceReceiver(clock, counters, guard)
  const listener = new Listener()
  reception.use({ mode: GCM_MODE, key: KEY })
  reception.listen('anna', listener)
  const give = (made: Made = {}) => reception.datagram(packet(made), true)
  return { clock, counters, reception, listener, give }
}
