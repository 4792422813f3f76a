import type { StsResult, SttResult } from '../../src/service/contract.ts'
import { bytesOf } from '../../src/transcode/pcm.ts'
import { encodeWav } from '../../src/transcode/wav.ts'

/**
 * Faults of a scripted service. Every field can be set at `listen`, changed at run time (`service.faults.noAck =
 * true`), or queued for the next session only (`service.next({ dropAt: 20 })`). A field queued for a session overrides
 * the service's own.
 */
export interface Faults {
  /** Rejects every key, with this as the `data` of `connect_error`. */
  refuseKey?: unknown
  /** Omits `connected`; `start` is still sent unless `noStart` is set. */
  noConnected?: boolean
  noStart?: boolean
  /** Payload of `start` instead of `true`. */
  startWith?: unknown
  /** The service ends the session after this time (ms); `connected` announces it unless `lifeUntold`. */
  lifeMs?: number
  lifeUntold?: boolean
  /**
   * Number of fragments still to be answered with `false` and not accepted. Counts down; `Infinity` rejects them all.
   */
  nack?: number
  /** Accepts fragments and never acknowledges them. */
  noAck?: boolean
  /** Delay of acknowledgments (ms). */
  ackAfterMs?: number
  /** Arguments of the acknowledgment instead of `true`. */
  ackWith?: readonly unknown[]
  /** Cuts the connection when this fragment of the session (from 1) arrives; the fragment is not accepted. */
  dropAt?: number
  /** How `dropAt` ends the connection: by cutting TCP (default) or by a disconnect from the service. */
  dropHow?: DropHow
  /** Additional delay of answers (ms). */
  answerAfterMs?: number
  /** Every result is sent twice. */
  duplicate?: boolean
  neverEndSynth?: boolean
  /** Replaces the payload of every `result`: arbitrary bytes, wrong types; `undefined` omits the result. */
  mangle?: (result: ScriptedResult) => unknown
}

/** Payload that a scripted session sends as `result`, in any namespace. */
export type ScriptedResult = Pick<SttResult, 'id' | 'final' | 'text'> & Partial<StsResult>

/** `cut`: the TCP connection is gone, as when the process dies. `kick`: the service disconnects the socket. */
export type DropHow = 'cut' | 'kick'

/** Faults of one session: its own, otherwise the current ones of the service. */
export class SessionFaults {
  readonly #own: Faults
  readonly #shared: Faults

  constructor(own: Faults, shared: Faults) {
    this.#own = own
    this.#shared = shared
  }

  get<K extends keyof Faults>(name: K): Faults[K] {
    return name in this.#own ? this.#own[name] : this.#shared[name]
  }

  /** Returns whether to reject the current fragment; counts `nack` down where it is set. */
  takeNack(): boolean {
    const holder = 'nack' in this.#own ? this.#own : this.#shared
    if (!holder.nack || holder.nack <= 0) return false
    holder.nack -= 1
    return true
  }
}

/** Encoding of a voice: some kind of binary, or text or numbers inside JSON. */
export const VOICE_FORMS = [
  'buffer',
  'arraybuffer',
  'typed',
  'dataview',
  'base64',
  'json',
  'numbers',
] as const
export type VoiceForm = (typeof VOICE_FORMS)[number]

/** Choices that the interface leaves to a service. The default of each field is as in `docs/service/protocol.md`. */
export interface ServiceShape {
  /** Ids of results: their utterance, none, `sequence` for each piece, an id for each message or for the session. */
  readonly ids?: 'utterance' | 'none' | 'pieces' | 'messages' | 'session'
  /** Whether `final` is sent, and with it interim text. */
  readonly final?: boolean
  /** Payload of `endSynth`. */
  readonly end?: 'id' | 'nothing' | 'other'
  /** Each result holds all of an utterance, or text, translation and voice have separate results. */
  readonly parts?: 'together' | 'apart'
  /** Names of fields: `text` and `file.data`; `transcription` and `audio`; `Transcript`, `Translated_Text`, `data`. */
  readonly fields?: 'contract' | 'plain' | 'odd'
  readonly form?: VoiceForm
  readonly coding?: 'mp3' | 'wav' | 'pcm'
  /** Includes the covered time range in results. */
  readonly times?: boolean
}

/** A voice as 16 kHz samples, or as prepared mp3. */
export interface ShapedVoice {
  readonly mp3: Uint8Array
  readonly pcm?: Int16Array | undefined
}

/** Formats the answers of one session. */
export class ShapedAnswers {
  readonly #shape: ServiceShape
  #messages = 0

  constructor(shape: ServiceShape) {
    this.#shape = shape
  }

  /** True if text that can still change can be sent. */
  get tellsFinal(): boolean {
    return this.#shape.final ?? true
  }

  /** All bytes of a voice. */
  voice({ mp3, pcm }: ShapedVoice): Uint8Array {
    const { coding = 'mp3' } = this.#shape
    if (coding === 'mp3' || !pcm) return mp3
    return coding === 'wav' ? encodeWav(pcm, 16_000) : bytesOf(pcm)
  }

  /** The results of one utterance, whose voice is `pieces`. */
  results(spoken: ScriptedResult, pieces: readonly Uint8Array[], rate: number): ScriptedResult[] {
    const file = (data: Uint8Array) => ({ file: { data, codec: 'mp3', sampleRate: rate } as const })
    if (this.#shape.parts !== 'apart')
      return pieces.length === 0 ? [spoken] : pieces.map(data => ({ ...spoken, ...file(data) }))
    const { text, translation, ...rest } = spoken
    const bare = rest as ScriptedResult
    return [
      { ...bare, text },
      ...(translation === undefined ? [] : [{ ...bare, translation }]),
      ...pieces.map(data => ({ ...bare, ...file(data) })),
    ]
  }

  /** The payload of `result`. */
  payload(result: ScriptedResult): Record<string, unknown> {
    const { id, final, text, translation, file, endMs, ...rest } = result
    const { fields = 'contract', times = true } = this.#shape
    return {
      ...(fields === 'contract' && rest),
      ...this.#name(id),
      ...(this.tellsFinal && { final }),
      ...(times && endMs !== undefined && { endMs }),
      ...this.#words(text, translation),
      ...(file && this.#file(file)),
    }
  }

  /** The arguments of `endSynth`. */
  end(id: string): unknown[] {
    const { end = 'id' } = this.#shape
    if (end === 'nothing') return []
    return [end === 'id' ? { id } : { done: true }]
  }

  #name(id: string): object {
    const { ids = 'utterance' } = this.#shape
    this.#messages++
    if (ids === 'none') return {}
    if (ids === 'pieces') return { sequence: this.#messages }
    if (ids === 'messages') return { id: `m${this.#messages}` }
    return { id: ids === 'session' ? 'the-session' : id }
  }

  #words(text: string | undefined, translation: string | undefined): object {
    const { fields = 'contract' } = this.#shape
    const names = {
      contract: ['text', 'translation'],
      plain: ['transcription', 'translation'],
      odd: ['Transcript', 'Translated_Text'],
    }[fields] as [string, string]
    return {
      ...(text !== undefined && { [names[0]]: text }),
      ...(translation !== undefined && { [names[1]]: translation }),
    }
  }

  #file(file: NonNullable<ScriptedResult['file']>): object {
    const { fields = 'contract', form = 'buffer' } = this.#shape
    const data = formed(file.data, form)
    if (fields === 'contract') return { file: { ...file, data } }
    return fields === 'plain' ? { audio: data } : { data }
  }
}

function formed(bytes: Uint8Array, form: VoiceForm): unknown {
  // A copy with its own memory, because that of a Buffer can be shared.
  const own = Uint8Array.from(bytes)
  switch (form) {
    case 'arraybuffer':
      return own.buffer
    case 'typed':
      return own
    case 'dataview':
      return new DataView(own.buffer)
    case 'base64':
      return Buffer.from(own).toString('base64')
    case 'json':
      return { type: 'Buffer', data: Array.from(own) }
    case 'numbers':
      return Array.from(own)
    default:
      return Buffer.from(own)
  }
}
