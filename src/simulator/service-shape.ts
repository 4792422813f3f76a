import { bytesOf } from '../transcode/pcm.ts'
import { encodeWav } from '../transcode/wav.ts'
import type { ScriptedResult } from './scripted-faults.ts'

/** How a voice travels: as binary of some kind, or as text or numbers inside JSON. */
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

/**
 * What a service of the interface may do as it likes, since the interface does not say; what is left out is as in
 * `docs/service/protocol.md`.
 */
export interface ServiceShape {
  /** What results are named by: their utterance, nothing, `sequence` for each piece, an id for each message or for the session. */
  readonly ids?: 'utterance' | 'none' | 'pieces' | 'messages' | 'session'
  /** Whether `final` is said, and so interim text is sent. */
  readonly final?: boolean
  /** What is in `endSynth`. */
  readonly end?: 'id' | 'nothing' | 'other'
  /** All of an utterance in each result, or text, translation and voice in results of their own. */
  readonly parts?: 'together' | 'apart'
  /** Names of fields: `text` and `file.data`; `transcription` and `audio`; `Transcript`, `Translated_Text`, `data`. */
  readonly fields?: 'contract' | 'plain' | 'odd'
  readonly form?: VoiceForm
  readonly coding?: 'mp3' | 'wav' | 'pcm'
  /** Whether results tell the time that they cover. */
  readonly times?: boolean
}

/** A voice as samples of 16 kHz, or ready as mp3. */
export interface ShapedVoice {
  readonly mp3: Uint8Array
  readonly pcm?: Int16Array | undefined
}

/** Gives the answers of one session their shape. */
export class ShapedAnswers {
  readonly #shape: ServiceShape
  #messages = 0

  constructor(shape: ServiceShape) {
    this.#shape = shape
  }

  /** Whether text that may still change can be sent. */
  get tellsFinal(): boolean {
    return this.#shape.final ?? true
  }

  /** The bytes of a voice, all of them. */
  voice({ mp3, pcm }: ShapedVoice): Uint8Array {
    const { coding = 'mp3' } = this.#shape
    if (coding === 'mp3' || !pcm) return mp3
    return coding === 'wav' ? encodeWav(pcm, 16_000) : bytesOf(pcm)
  }

  /** The results of one utterance, of which `pieces` is the voice. */
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

  /** The payload that tells `result`. */
  payload(result: ScriptedResult): Record<string, unknown> {
    const { id, final, text, translation, file, endMs, ...rest } = result
    const { fields = 'contract', times = true } = this.#shape
    return {
      ...(fields === 'contract' ? rest : {}),
      ...this.#name(id),
      ...(this.tellsFinal ? { final } : {}),
      ...(times && endMs !== undefined ? { endMs } : {}),
      ...this.#words(text, translation),
      ...(file ? this.#file(file) : {}),
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
      ...(text === undefined ? {} : { [names[0]]: text }),
      ...(translation === undefined ? {} : { [names[1]]: translation }),
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
  // A copy with memory of its own: that of a Buffer may be shared.
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
