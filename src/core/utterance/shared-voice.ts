import { EncodedVoice, Mp3Length } from '../../transcode/encoded-voice.ts'
import type { LoudnessNormalizer } from '../../transcode/loudness-normalizer.ts'
import type { Mp3Pool } from '../../transcode/mp3/decoder-pool.ts'
import { FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE } from '../../transcode/pcm.ts'
import type { VoiceStats } from '../../transcode/voice-stream.ts'
import type { SpeechAudio, SpeechHold, UtteranceReader } from './speech-audio.ts'
import {
  type AudioSupply,
  FIRST_SLICE,
  FrameReader,
  SLICE,
  type UtteranceAudio,
  VoicePass,
  type VoicePassOptions,
} from './utterance-audio.ts'
import { type Cut, cutBefore, VoiceCopy } from './voice-copy.ts'

/** Maximum size of a voice: two minutes at 256 kbit/s. */
const MOST_BYTES = 4 << 20
/** Maximum length of a voice; the rest is dropped (ms). */
const LONGEST_MS = 120_000
/** Minimum number of bytes dropped at a time from the start of a voice that is too large. */
const LEAST_DROPPED = 256 << 10
/** Decoded at once for a copy (frames: 0.5 s). */
const FIRST_COPIED = 25
/** Attempts to decode the start of a copy at once: a decoder can be missing, or bytes. */
const MOST_FIRST_COPIES = 8
/** A reader this much behind another one decodes on its own (frames: 1 s). */
const MOST_APART = 50

export interface SharedVoiceOptions {
  readonly pool: Mp3Pool
  /** Used by this voice only. */
  readonly leveler?: LoudnessNormalizer | undefined
  /** Sample rate of a voice without a header, if the service states it (Hz). */
  readonly rate?: number | undefined
  /** Duration of its start that is skipped (ms). */
  readonly skipMs?: number | undefined
  /** Called once, when decoding has ended. `whole`: without being stopped. */
  readonly finished: (stats: VoiceStats, whole: boolean) => void
}

/**
 * The voice of one utterance for all of its listeners. It keeps the bytes as received, and samples only for
 * about a second ahead of the listeners, who usually share one run of the decoder. A listener that starts late, or falls behind,
 * gets another run. Without readers and holds, no bytes are kept.
 */
export class SharedVoice implements SpeechAudio {
  readonly #options: SharedVoiceOptions
  readonly #voice = new EncodedVoice(MOST_BYTES)
  readonly #length = new Mp3Length(this.#voice)
  /** The state of the leveler at the start of the voice. */
  readonly #levelAtStart: LoudnessNormalizer | undefined
  readonly #readers = new Set<FrameReader>()
  readonly #holds = new Set<Hold>()
  /** Few voices have one: an empty array takes less memory than a set. */
  #copies: VoiceCopy[] = []
  readonly #skip: number
  readonly #first: VoicePass
  /** The pass that has got furthest, from the start. */
  #furthest: VoicePass
  #passes: VoicePass[]
  /** Length decoded by the pass that has got furthest. */
  #frames = 0
  #samples = 0
  #complete = false
  /** `finished` was called. */
  #counted = false
  /** Position of the first byte that is kept, if not at the start of the voice. */
  #cut: Cut | undefined
  #lostBytes = 0
  /** It had a reader or hold; once all of them are closed, no bytes are kept. */
  #used = false
  #fault: { readonly error: unknown } | undefined
  #wake: () => void = () => {}

  constructor(options: SharedVoiceOptions) {
    this.#options = options
    const { leveler, skipMs = 0 } = options
    this.#levelAtStart = leveler?.copy()
    this.#skip = Math.round((skipMs * SAMPLE_RATE) / 1_000)
    this.#first = this.#pass({ leveler, skip: this.#skip })
    this.#furthest = this.#first
    this.#passes = [this.#first]
  }

  /** Calls `wake` when decoding is needed after `decode` returned false. */
  scheduled(wake: () => void): void {
    this.#wake = wake
  }

  get complete(): boolean {
    return this.#complete
  }

  get received(): boolean {
    return this.#complete || this.#voice.ended
  }

  get frames(): number {
    return this.#frames
  }

  get durationMs(): number {
    let ms = (this.#samples / FRAME_SAMPLES) * FRAME_MS
    if (this.#complete) return ms
    for (const pass of this.#passes) ms = Math.max(ms, pass.audio.durationMs + pass.leftMs(this.#length))
    return ms
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#voice.end - this.#voice.start
  }

  /** Adds the bytes of one result. */
  write(bytes: Uint8Array): void {
    if (this.#complete) return
    const voice = this.#voice
    if (this.durationMs > LONGEST_MS) {
      this.end()
      return
    }
    // Decoded bytes can be dropped; the voice can then not be played again.
    if (this.bytes + bytes.length > MOST_BYTES && this.#passes.length > 0) {
      const needed = Math.min(...this.#passes.map(({ at }) => at))
      if (needed - voice.start >= LEAST_DROPPED) voice.drop(needed)
    }
    this.#lostBytes += voice.write(bytes)
  }

  /** No more bytes follow. Idempotent. */
  end(): void {
    this.#voice.finish()
  }

  /** True if readers need more audio; also true if no more can be decoded, which `decode` then reports. */
  get due(): boolean {
    if (this.#copies.length > 0 || this.#fault) return true
    let waiting = false
    for (const pass of this.#passes) {
      if (pass.due) return true
      waiting ||= !pass.audio.complete
    }
    return !waiting
  }

  /** True if a reader needs more audio soon. */
  get urgent(): boolean {
    for (const pass of this.#passes) if (pass.urgent) return true
    return false
  }

  /**
   * Decodes at most `slices` mp3 frames, or as much of samples, for all readers that need them; if none does, further
   * ahead. Returns false if no more can be decoded.
   */
  decode(slices: number): boolean {
    const fault = this.#fault
    this.#fault = undefined
    if (fault) throw fault.error
    for (const copy of this.#copies)
      if (!copy.decode(slices)) {
        copy.close()
        this.#copies = this.#copies.filter(each => each !== copy)
        this.#tidy()
      }
    const { due } = this
    for (const pass of this.#passes) if (!due || pass.due) this.#decode(pass, slices)
    return this.#copies.length > 0 || this.#passes.some(({ audio }) => !audio.complete)
  }

  /** Stops decoding; readers can still read decoded audio. Idempotent. */
  close(): void {
    for (const copy of this.#copies) copy.close()
    this.#copies = []
    for (const pass of this.#passes) {
      pass.close()
      this.#measure(pass)
    }
    this.#voice.clear()
    this.#complete = true
    this.#count(false)
  }

  reader(): UtteranceReader {
    const reader = new FrameReader(this.#supply)
    this.#readers.add(reader)
    this.#used = true
    this.#attach(reader, false)
    return reader
  }

  hold(): SpeechHold {
    const hold = new Hold({
      whole: () => this.#voice.start === 0,
      frames: () => this.#frames,
      changed: () => this.#tidy(),
      released: released => {
        this.#holds.delete(released)
        this.#tidy()
      },
    })
    this.#holds.add(hold)
    this.#used = true
    return hold
  }

  copy(most: number): Int16Array {
    // After a fault no more can be decoded.
    if (this.#voice.end === this.#voice.start) return new Int16Array(0)
    const frames = Math.min(most, this.#frames)
    const pcm = new Int16Array(frames * FRAME_SAMPLES)
    const whole = frames === this.#frames && this.#voice.start === 0
    const cut = whole ? undefined : (this.#cut ?? this.#cutBefore(this.#frames - frames))
    if (!cut && !whole) return new Int16Array(0)
    const pass = cut ? this.#passFrom(cut) : this.#passFromStart()
    const copy = new VoiceCopy(pass, pcm, this.#frames - frames - (cut?.frame ?? 0))
    this.#copies.push(copy)
    try {
      for (let n = 0; n < MOST_FIRST_COPIES && copy.frames < FIRST_COPIED && copy.decode(SLICE); n++);
    } catch (error) {
      this.#fault = { error }
    }
    this.#wake()
    return pcm
  }

  #passFromStart(): VoicePass {
    return this.#pass({ leveler: this.#levelAtStart?.copy(), skip: this.#skip })
  }

  /** Its level is the one reached at the end. */
  #passFrom(from: Cut): VoicePass {
    return this.#pass({ leveler: this.#options.leveler?.copy(), from })
  }

  #pass(options: Pick<VoicePassOptions, 'leveler' | 'skip' | 'from'>): VoicePass {
    const { pool, rate } = this.#options
    return new VoicePass({ voice: this.#voice, pool, rate, ...options })
  }

  #decode(pass: VoicePass, slices: number): void {
    pass.decode(slices)
    if (pass.audio.durationMs > LONGEST_MS) pass.close()
    this.#measure(pass)
    if (!pass.audio.complete) return
    this.#complete = true
    if (pass === this.#first) this.#count(true)
    if (this.#frames === 0) this.#voice.clear()
  }

  #measure(pass: VoicePass): void {
    const { audio } = pass
    if (audio.frames > this.#frames) this.#furthest = pass
    this.#frames = Math.max(this.#frames, audio.frames)
    this.#samples = Math.max(this.#samples, audio.samples)
  }

  #count(whole: boolean): void {
    if (this.#counted) return
    this.#counted = true
    const { frames, invalidBytes } = this.#first.stats
    this.#options.finished({ frames, invalidBytes: invalidBytes + this.#lostBytes }, whole)
  }

  /** Finds a run of the decoder for `reader`, or starts one if `needed`. */
  #attach(reader: FrameReader, needed: boolean): void {
    const { at } = reader
    const found = this.#passes.find(({ audio }) => audio.reaches(at) && at - audio.frames <= MOST_APART)
    if (found) reader.join(found.audio)
    else if (needed && this.#voice.start === 0 && this.#voice.end > 0) {
      const pass = this.#passFromStart()
      this.#passes.push(pass)
      reader.join(pass.audio)
      // In the same slices as the first time, for the same level.
      this.#pull(pass, FIRST_SLICE)
      this.#wake()
    }
  }

  /** Decodes for a reader that has nothing to read. An error is reported by the next `decode`. */
  #pull(pass: VoicePass, slices: number): void {
    try {
      this.#decode(pass, slices)
    } catch (error) {
      this.#fault = { error }
    }
  }

  #passOf(audio: UtteranceAudio | undefined): VoicePass | undefined {
    return this.#passes.find(pass => pass.audio === audio)
  }

  /** Readers far behind `reader`, which has moved, need not keep its samples in memory. */
  #moved({ at, audio }: FrameReader): void {
    if (this.#readers.size < 2) return
    for (const other of this.#readers) if (other.audio === audio && at - other.at > MOST_APART) other.leave()
  }

  #drop(pass: VoicePass | undefined): void {
    if (!pass?.audio.abandoned) return
    pass.close()
    this.#passes = this.#passes.filter(each => each !== pass)
    if (pass === this.#first) this.#count(false)
  }

  /** Frees decoder runs and encoded bytes without users. */
  #tidy(): void {
    if (this.#readers.size > 0 || this.#copies.length > 0 || !this.#used) return
    if (this.#holds.size === 0) {
      this.close()
      return
    }
    let frames = 0
    for (const hold of this.#holds) frames = Math.max(frames, hold.frames)
    if (!this.#complete || frames >= this.#frames || this.#cut) return
    this.#cut = this.#cutBefore(this.#frames - frames)
    if (this.#cut) this.#voice.drop(this.#cut.at)
  }

  #cutBefore(frame: number): Cut | undefined {
    const { format = 'mp3', runs } = this.#furthest
    const skipped = this.#skip / FRAME_SAMPLES
    return cutBefore(frame, { voice: this.#voice, format, runs, frames: this.#frames, skipped })
  }

  readonly #supply: AudioSupply = {
    attach: reader => this.#attach(reader, true),
    pull: audio => {
      const pass = this.#passOf(audio)
      if (!pass || pass.dry) return false
      this.#pull(pass, SLICE)
      return true
    },
    moved: reader => this.#moved(reader),
    left: (reader, audio) => {
      this.#readers.delete(reader)
      this.#drop(this.#passOf(audio))
      this.#tidy()
    },
    // Without the start of the voice, no further run of the decoder is possible.
    over: () => this.#voice.start > 0 || (this.#complete && this.#voice.end === this.#voice.start),
  }
}

interface HoldEvents {
  /** True if the voice is kept from its start. */
  whole(): boolean
  /** Frames of the voice. */
  frames(): number
  changed(): void
  released(hold: Hold): void
}

class Hold implements SpeechHold {
  /** Frames kept at the end. */
  frames = Number.POSITIVE_INFINITY
  readonly #events: HoldEvents

  constructor(events: HoldEvents) {
    this.#events = events
  }

  get whole(): boolean {
    return this.frames === Number.POSITIVE_INFINITY && this.#events.whole()
  }

  keepEnd(frames: number): void {
    if (this.#events.frames() <= frames) return
    this.frames = frames
    this.#events.changed()
  }

  close(): void {
    this.#events.released(this)
  }
}
