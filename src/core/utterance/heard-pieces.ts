/** Maximum number of chunks remembered per utterance. */
const MOST = 256
/** Minimum size of a chunk that can identify a repetition; a shorter one could be silence (bytes). */
const TELLING_BYTES = 512

/**
 * Detects repeated chunks of one utterance's voice, so that audio sent twice is played once. Chunks of silence and tones
 * are identical anyway, so a repetition is recognized only by the first chunk; after that, every chunk is compared.
 */
export class HeardPieces {
  readonly #seen = new Set<string>()
  #first: string | undefined
  #repeats = false

  /** Returns true if the utterance already contained these bytes. */
  repeated(audio: Uint8Array): boolean {
    const name = `${audio.length}/${fingerprint(audio)}`
    this.#repeats ||= name === this.#first
    if (this.#repeats && this.#seen.has(name)) return true
    if (audio.length >= TELLING_BYTES && !isSilent(audio)) this.#first ??= name
    if (this.#seen.size < MOST) this.#seen.add(name)
    return false
  }
}

/** Returns true if the bytes can be silence: all are equal. */
function isSilent(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte === bytes[0])
}

/** 32-bit FNV-1a hash. */
function fingerprint(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
