/** Pieces of one utterance that are remembered. */
const MOST = 256
/** A shorter piece says nothing: it may be silence (bytes). */
const TELLING_BYTES = 512

/**
 * Knows the pieces of one utterance's voice again, so that what a service sends twice is heard once. Silence and tones
 * look alike piece by piece; so only the beginning tells that a service repeats itself, and then every piece is looked at.
 */
export class HeardPieces {
  readonly #seen = new Set<string>()
  #first: string | undefined
  #repeats = false

  /** Whether these bytes were there before in this utterance. */
  repeated(audio: Uint8Array): boolean {
    const name = `${audio.length}/${fingerprint(audio)}`
    this.#repeats ||= name === this.#first
    if (this.#repeats && this.#seen.has(name)) return true
    if (audio.length >= TELLING_BYTES && !isSilent(audio)) this.#first ??= name
    if (this.#seen.size < MOST) this.#seen.add(name)
    return false
  }
}

/** Whether samples could be silence: all bytes are the same. */
function isSilent(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte === bytes[0])
}

/** FNV-1a of 32 bits. */
function fingerprint(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
