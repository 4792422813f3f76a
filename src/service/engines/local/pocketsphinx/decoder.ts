import { EngineError } from '../../engine.ts'
import type { Grammar } from './grammar.ts'
import type { SphinxLibrary, SphinxPointer } from './library.ts'

/**
 * Decoders created on demand, up to `size`, and kept for the next speaker: creating and freeing one per session would
 * grow the allocator's arenas. `acquire` lends a decoder; return it with `release` or, when broken, `discard`.
 */
export class DecoderPool {
  readonly #make: () => Promise<SphinxDecoder>
  readonly #size: number
  #idle: SphinxDecoder[] = []
  #made = 0
  #closed = false

  constructor(size: number, make: () => Promise<SphinxDecoder>) {
    if (!(size >= 1)) throw new RangeError(`a pool holds at least 1 decoder, got ${size}`)
    this.#size = size
    this.#make = make
  }

  /** Number of idle decoders. */
  get idle(): number {
    return this.#idle.length
  }

  /** Number of decoders that exist or are being created. */
  get made(): number {
    return this.#made
  }

  async acquire(): Promise<SphinxDecoder> {
    const decoder = this.#idle.pop()
    if (decoder) return decoder
    if (this.#closed) throw new EngineError('transcription', 'pocketsphinx', 'is closed')
    if (this.#made >= this.#size)
      throw new EngineError('transcription', 'pocketsphinx', `all ${this.#size} decoders are in use`)
    return this.#create()
  }

  async release(decoder: SphinxDecoder): Promise<void> {
    try {
      await decoder.rest()
      this.#keep(decoder)
    } catch {
      this.discard(decoder)
    }
  }

  discard(decoder: SphinxDecoder): void {
    this.#made--
    decoder.free()
  }

  /** Frees idle decoders now and lent ones when they are returned. */
  close(): void {
    this.#closed = true
    for (const decoder of this.#idle.splice(0)) this.discard(decoder)
  }

  #keep(decoder: SphinxDecoder): void {
    if (this.#closed) this.discard(decoder)
    else this.#idle.push(decoder)
  }

  async #create(): Promise<SphinxDecoder> {
    this.#made++
    try {
      return await this.#make()
    } catch (error) {
      this.#made--
      throw error
    }
  }
}

/** Removes `<sil>`, `<s>`, `[NOISE]`, `++UH++` and the `(2)` of variants from a recognizer's text. */
export function cleanTranscript(raw: string): string {
  return raw
    .replace(/<[^<>]*>|\[[^\][]*\]|\+\+[^+]*\+\+/g, ' ')
    .replace(/\(\d+\)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * Mean spectra that a decoder assumes before it has received speech: halfway between the model's own, which
 * misrecognizes the first sentences of most voices, and that of the bundled recordings. The difference is larger still
 * on the phone. The decoder adapts automatically after some sentences. (Word errors of a first sentence, in this order:
 * 36 to 23 and 79 to 31 per cent.)
 */
const FULL_BAND = [46.3, 0.3, -1.45, 12.54, -5.83, -0.28, -4.15, -4.27, -2.12, -3.08, -1.86, -1.94, -0.84]
const TELEPHONE = [40.6, 19.4, -28.5, 38.5, -24.7, 8.01, -1.91, -14.9, 12.6, -17.1, 8.35, -7.09, 0.75]

/** Name of the search with the language model. */
const DEFAULT_SEARCH = '_default'

/** Decoder interface of a recognition stream. Calls must not overlap: await each before the next. */
export interface Decoder {
  /** Resets voice and noise adaptation for a new speaker; leaves an utterance open. */
  begin(): void
  /** Selects phone or full-band audio. Call it before the first samples. */
  expect(telephone: boolean): void
  /** Decodes 16 kHz samples, which must stay unchanged until it resolves. */
  process(pcm: Int16Array): Promise<void>
  /** True if the last samples were speech, according to the decoder's own voice detection. */
  readonly inSpeech: boolean
  /** The text so far, cleaned of fillers. */
  text(): string
  /** Finishes the utterance, returns its text and opens the next one. */
  finish(): Promise<string>
}

/** One PocketSphinx decoder: about 92 MB, created in 0.3 to 0.6 s off the event loop, reused for several speakers. */
export class SphinxDecoder implements Decoder {
  readonly #library: SphinxLibrary
  readonly #pointer: SphinxPointer
  /** Names of the loaded grammars. */
  readonly #grammars = new Set<string>()
  #open = false

  private constructor(library: SphinxLibrary, pointer: SphinxPointer) {
    this.#library = library
    this.#pointer = pointer
  }

  static async create(
    library: SphinxLibrary,
    args: Readonly<Record<string, string>>,
  ): Promise<SphinxDecoder> {
    return new SphinxDecoder(library, await library.open(args))
  }

  get inSpeech(): boolean {
    return this.#library.inSpeech(this.#pointer)
  }

  begin(): void {
    // A phone voice after one in a quiet room would be misrecognized for half a minute.
    this.expect(false)
    this.#check('ps_start_stream', this.#library.startStream(this.#pointer))
    if (!this.#open) this.#start()
  }

  /**
   * Restricts recognition to `grammar`, or, without one, to the whole language. Call it before `begin`. Throws an
   * `EngineError` if the grammar cannot be parsed or has a word that is not in the dictionary.
   */
  listenFor(grammar: Grammar | undefined): void {
    if (grammar && !this.#grammars.has(grammar.name)) {
      this.#check('ps_set_jsgf_string', this.#library.setGrammar(this.#pointer, grammar.name, grammar.jsgf))
      this.#grammars.add(grammar.name)
    }
    this.#check('ps_set_search', this.#library.setSearch(this.#pointer, grammar?.name ?? DEFAULT_SEARCH))
  }

  expect(telephone: boolean): void {
    this.#library.setMean(this.#pointer, Float32Array.from(telephone ? TELEPHONE : FULL_BAND))
  }

  async process(pcm: Int16Array): Promise<void> {
    this.#check('ps_process_raw', await this.#library.process(this.#pointer, pcm))
  }

  text(): string {
    return cleanTranscript(this.#library.hypothesis(this.#pointer))
  }

  async finish(): Promise<string> {
    this.#open = false
    this.#check('ps_end_utt', await this.#library.endUtterance(this.#pointer))
    const text = this.text()
    this.#start()
    return text
  }

  /** Ends the utterance without opening another, so that the decoder can be reused. */
  async rest(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    this.#check('ps_end_utt', await this.#library.endUtterance(this.#pointer))
  }

  /** Frees the memory; the decoder must not be used again. */
  free(): void {
    this.#library.free(this.#pointer)
  }

  #start(): void {
    this.#check('ps_start_utt', this.#library.startUtterance(this.#pointer))
    this.#open = true
  }

  #check(call: string, status: number): void {
    if (status < 0) throw new EngineError('transcription', 'pocketsphinx', `${call} answered ${status}`)
  }
}
