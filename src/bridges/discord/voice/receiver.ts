import { BoundedMap } from '../../../common/bounded-map.ts'
import type { Clock } from '../../../common/clock.ts'
import { opusSamples } from '../../../transcode/opus-packet.ts'
import type { LinkCounters } from '../counters.ts'
import { type DaveGuard, looksEncrypted } from './dave-guard.ts'
import { isAudio, opened, type PacketSink, type SessionKey } from './rtp-packet.ts'

/** Maximum number of frames kept per speaker, and their maximum age (ms): one second. */
const FRAMES_MOST = 50
const FRAME_KEPT_MS = 1_000

/** A frame that cannot be decrypted yet. */
export interface HeldFrame {
  readonly sequence: number
  readonly timestamp: number
  readonly frame: Buffer
  readonly at: number
}

/**
 * Frames of one speaker that were encrypted with a key we do not have yet: audio and keys arrive over different
 * connections. Decryption is retried with the next key.
 */
class UndecryptedFrames {
  #frames: HeldFrame[] = []

  get any(): boolean {
    return this.#frames.length > 0
  }

  keep(held: HeldFrame): void {
    if (this.#frames.length >= FRAMES_MOST) this.#frames.shift()
    this.#frames.push(held)
  }

  /** Removes all frames and returns, in order, all that are not too old at `now`. */
  take(now: number): readonly HeldFrame[] {
    const frames = this.#frames
    this.#frames = []
    return frames.filter(({ at }) => now - at <= FRAME_KEPT_MS)
  }

  clear(): void {
    if (this.any) this.#frames = []
  }
}

/** Maximum number of streams; the oldest is dropped. */
const STREAMS_MOST = 8
/** Maximum number of packets per stream (2 s of 20 ms); the oldest is dropped. */
const PACKETS_MOST = 100
/** A stream that is not identified within this time is dropped (ms). */
const STREAM_KEPT_MS = 2_000

/** Wait for op 5 before trial decryption, and interval between trials (ms). */
const UNNAMED_MS = 600
const ASK_MS = 200

export interface KeptPacket {
  readonly datagram: Buffer
  readonly at: number
}

interface Stream {
  readonly since: number
  askedAt: number
  readonly packets: KeptPacket[]
}

/**
 * Packets of speakers who are not identified yet. Op 5 and audio take different ways, and these are the first
 * syllables.
 */
class UnattributedPackets {
  readonly #clock: Clock
  readonly #streams = new BoundedMap<number, Stream>(STREAMS_MOST)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  keep(ssrc: number, datagram: Buffer): void {
    const now = this.#clock.now()
    const stream = this.#streams.get(ssrc)
    const packet = { datagram, at: now }
    if (stream !== undefined && now - stream.since <= STREAM_KEPT_MS) {
      if (stream.packets.length >= PACKETS_MOST) stream.packets.shift()
      stream.packets.push(packet)
      return
    }
    this.#streams.set(ssrc, { since: now, askedAt: now, packets: [packet] })
  }

  /** Returns the packets of a stream that should be identified by trial decryption now, otherwise undefined. */
  overdue(ssrc: number): readonly KeptPacket[] | undefined {
    const now = this.#clock.now()
    const stream = this.#streams.get(ssrc)
    if (!stream || now - stream.since < UNNAMED_MS || now - stream.askedAt < ASK_MS) return undefined
    stream.askedAt = now
    return stream.packets
  }

  /** Removes and returns the packets of `ssrc`, in order. */
  take(ssrc: number): readonly KeptPacket[] {
    const stream = this.#streams.get(ssrc)
    this.#streams.delete(ssrc)
    return stream !== undefined && this.#clock.now() - stream.since <= STREAM_KEPT_MS ? stream.packets : NONE
  }

  clear(): void {
    this.#streams.clear()
  }
}

const NONE: readonly KeptPacket[] = []

interface Speaker {
  readonly userId: string
  ssrc: number | undefined
  /** Undefined: no one listens to them, so their packets are not decrypted. */
  sink: PacketSink | undefined
  /** Since when someone has listened to them; older packets are not delivered. */
  since: number
  /** Ring of the latest sequence numbers. A repeated packet cannot be decrypted twice. */
  readonly recent: Int32Array
  recentAt: number
  readonly held: UndecryptedFrames
}

const RECENT = 16
const NO_SEQUENCE = -1

/** Maximum number of nonzero bytes in the empty packets that some voice servers send occasionally. */
const ALMOST_ZERO = 2

/**
 * Turns datagrams into packets per user. Replaces the library's receiver, which gives each user a stream that grows
 * while it is not read, that one broken or forged packet destroys, and that does not use sequence numbers.
 */
export class VoiceReceiver {
  readonly #clock: Clock
  readonly #counters: LinkCounters
  readonly #dave: DaveGuard
  readonly #speakers = new Map<string, Speaker>()
  readonly #bySsrc = new Map<number, Speaker>()
  readonly #unattributed: UnattributedPackets
  #key: SessionKey | undefined
  #receivedAudio = false

  constructor(clock: Clock, counters: LinkCounters, dave: DaveGuard) {
    this.#clock = clock
    this.#counters = counters
    this.#dave = dave
    this.#unattributed = new UnattributedPackets(clock)
  }

  /** Audio has arrived from the voice server. */
  get receivedAudio(): boolean {
    return this.#receivedAudio
  }

  listen(userId: string, sink: PacketSink): void {
    const speaker = this.#speaker(userId)
    if (speaker.sink === undefined) speaker.since = this.#clock.now()
    speaker.sink = sink
  }

  unlisten(userId: string, sink?: PacketSink): void {
    const speaker = this.#speakers.get(userId)
    if (speaker === undefined || (sink !== undefined && speaker.sink !== sink)) return
    speaker.sink = undefined
    speaker.held.clear()
    if (speaker.ssrc === undefined) this.#speakers.delete(userId)
  }

  /** Sets the key of subsequent packets. */
  use(key: SessionKey): void {
    this.#key = key
  }

  /** Starts a new session at a voice server, which assigns all SSRCs again. */
  begin(): void {
    this.#key = undefined
    this.#bySsrc.clear()
    this.#unattributed.clear()
    for (const speaker of this.#speakers.values()) this.#unname(speaker)
  }

  /** Removes all listeners. */
  close(): void {
    this.begin()
    this.#speakers.clear()
  }

  /** Op 5: assigns `ssrc` to this user and releases their previous one. */
  named(userId: string, ssrc: number): void {
    const speaker = this.#speaker(userId)
    if (speaker.ssrc === ssrc) return
    this.#name(speaker, ssrc)
    for (const packet of this.#unattributed.take(ssrc)) this.#attribute(packet, speaker)
  }

  #name(speaker: Speaker, ssrc: number): void {
    if (speaker.ssrc !== undefined) this.#bySsrc.delete(speaker.ssrc)
    const before = this.#bySsrc.get(ssrc)
    if (before) this.#unname(before)
    speaker.ssrc = ssrc
    speaker.recent.fill(NO_SEQUENCE)
    speaker.held.clear()
    this.#bySsrc.set(ssrc, speaker)
  }

  /** Delivers a buffered packet; packets from before the listener was added are dropped. */
  #attribute({ datagram, at }: KeptPacket, speaker: Speaker): void {
    if (speaker.sink !== undefined && at < speaker.since) return
    this.#counters.attributed++
    this.#give(datagram, speaker, true)
  }

  /**
   * Finds the speaker of an SSRC by trial decryption. Op 5 is the only message that assigns SSRCs, and it is sometimes
   * missing. Each speaker has a separate end-to-end key, so the key that decrypts the oldest packet identifies the
   * speaker. Only users with a listener and without an SSRC are tried.
   */
  #identify(ssrc: number, packets: readonly KeptPacket[]): void {
    for (const { datagram } of packets) {
      const frame = this.#key && opened(datagram, this.#key)
      if (frame === undefined || !looksEncrypted(frame)) continue
      for (const speaker of this.#speakers.values()) {
        if (speaker.sink === undefined || speaker.ssrc !== undefined) continue
        const opus = this.#dave.openedAsOf(frame, speaker.userId)
        if (opus === undefined) continue
        this.#name(speaker, ssrc)
        for (const packet of this.#unattributed.take(ssrc)) {
          if (packet.datagram !== datagram) this.#attribute(packet, speaker)
          // It cannot be decrypted a second time.
          else if (packet.at >= speaker.since) {
            this.#counters.attributed++
            const sequence = datagram.readUInt16BE(2)
            speaker.recent[speaker.recentAt++ % RECENT] = sequence
            this.#deliver(speaker, sequence, datagram.readUInt32BE(4), opus)
          }
        }
        return
      }
      return
    }
  }

  /** Op 13: the user has left. */
  left(userId: string): void {
    const speaker = this.#speakers.get(userId)
    if (speaker?.ssrc === undefined) return
    this.#bySsrc.delete(speaker.ssrc)
    this.#unname(speaker)
  }

  /**
   * The key has possibly changed: decrypts frames from before the change first, because older frames cannot be decrypted
   * after newer ones.
   */
  rekeyed(): void {
    if (this.#dave.encrypted !== true) return
    for (const speaker of this.#bySsrc.values()) {
      if (!speaker.held.any) continue
      for (const held of speaker.held.take(this.#clock.now())) {
        const opus = this.#dave.opened(held.frame, speaker.userId)
        if (opus === 'later') speaker.held.keep(held)
        else if (opus !== undefined) {
          this.#counters.decryptedLate++
          this.#deliver(speaker, held.sequence, held.timestamp, opus)
        }
      }
    }
  }

  /** `fromServer`: sent from the voice server's address. The receiver can keep its memory. */
  datagram(datagram: Buffer, fromServer: boolean): void {
    if (!isAudio(datagram)) return
    if (fromServer) this.#receivedAudio = true
    const ssrc = datagram.readUInt32BE(8)
    const speaker = this.#bySsrc.get(ssrc)
    if (speaker !== undefined) this.#give(datagram, speaker, fromServer)
    else if (fromServer) {
      this.#counters.unattributed++
      this.#unattributed.keep(ssrc, datagram)
      const overdue = this.#unattributed.overdue(ssrc)
      if (overdue) this.#identify(ssrc, overdue)
    } else this.#counters.unknownSource++
  }

  #give(datagram: Buffer, speaker: Speaker, fromServer: boolean): void {
    const { sink, userId, recent } = speaker
    if (sink === undefined || this.#key === undefined) return
    const counters = this.#counters
    const sequence = datagram.readUInt16BE(2)
    if (recent.includes(sequence)) {
      counters.duplicate++
      return
    }
    const frame = opened(datagram, this.#key)
    if (frame === undefined) {
      if (fromServer) counters.undecryptable++
      else counters.unknownSource++
      return
    }
    this.#receivedAudio = true
    // Only now, so that forged packets do not use up sequence numbers.
    recent[speaker.recentAt++ % RECENT] = sequence
    // From the server itself, so not end-to-end encrypted.
    if (almostZero(frame)) {
      counters.malformed++
      return
    }
    const timestamp = datagram.readUInt32BE(4)
    const opus = this.#dave.opened(frame, userId)
    if (opus === undefined) return
    if (opus === 'later') {
      speaker.held.keep({ sequence, timestamp, frame, at: this.#clock.now() })
      return
    }
    this.#deliver(speaker, sequence, timestamp, opus)
  }

  #deliver({ sink, ssrc }: Speaker, sequence: number, timestamp: number, opus: Buffer): void {
    if (opusSamples(opus) === 0 || almostZero(opus)) {
      this.#counters.malformed++
      return
    }
    this.#counters.packets++
    sink?.packet(sequence, timestamp, ssrc ?? 0, opus)
  }

  #speaker(userId: string): Speaker {
    let speaker = this.#speakers.get(userId)
    if (speaker === undefined) {
      const recent = new Int32Array(RECENT).fill(NO_SEQUENCE)
      speaker = {
        userId,
        ssrc: undefined,
        sink: undefined,
        since: 0,
        recent,
        recentAt: 0,
        held: new UndecryptedFrames(),
      }
      this.#speakers.set(userId, speaker)
    }
    return speaker
  }

  #unname(speaker: Speaker): void {
    speaker.ssrc = undefined
    speaker.held.clear()
    if (speaker.sink === undefined) this.#speakers.delete(speaker.userId)
  }
}

function almostZero(opus: Uint8Array): boolean {
  if (opus.length <= 2 * ALMOST_ZERO) return false
  let others = 0
  for (let at = 0; at < opus.length; at++) if (opus[at] !== 0 && ++others > ALMOST_ZERO) return false
  return true
}
