/** Results of `PlainJson.name`. */
export const END = 0
export const MEMBER = 1
export const FAULT = -1

const TAB = 0x09
const LINE_FEED = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPENING = 0x7b
const CLOSING = 0x7d
const DELETE = 0x7f

/**
 * Reads a JSON object in place, byte by byte: without a string of the message and without objects for the garbage
 * collector. Members have any order and any white space between them. Strings must be of ASCII without escapes, and
 * numbers whole and not negative; anything else is a fault, and needs a complete parser.
 */
export class PlainJson {
  /** Place of the last name or value in the bytes, without quotes. */
  from = 0
  to = 0
  /** True if the last value is a string. */
  quoted = false
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  /** No member of the current object has been read. */
  #first = false

  /** Enters the object that `bytes` consists of. */
  start(bytes: Buffer): boolean {
    this.#bytes = bytes
    this.#at = 0
    return this.enter()
  }

  /** Enters the object that follows. */
  enter(): boolean {
    this.#first = true
    return this.#take(OPENING)
  }

  /** Moves to the next member of the current object, and to its name; at the end, leaves the object. */
  name(): number {
    const first = this.#first
    this.#first = false
    if (this.#take(CLOSING)) return END
    if (!first && !this.#take(COMMA)) return FAULT
    return this.#take(QUOTE) && this.#string() && this.#take(COLON) ? MEMBER : FAULT
  }

  /** Reads a string or a number. */
  value(): boolean {
    this.quoted = this.#take(QUOTE)
    return this.quoted ? this.#string() : this.#number()
  }

  /** Reads a string up to the next quote; the caller checks its characters. */
  unchecked(): boolean {
    this.quoted = this.#take(QUOTE)
    if (!this.quoted) return false
    this.from = this.#at
    this.to = this.#bytes.indexOf(QUOTE, this.#at)
    this.#at = this.to + 1
    return this.to >= 0
  }

  /** Returns whether only white space follows. */
  finished(): boolean {
    this.#skipSpace()
    return this.#at === this.#bytes.length
  }

  /** Returns whether the last name or value is `text`. */
  is(text: Uint8Array): boolean {
    const { from } = this
    if (this.to - from !== text.length) return false
    for (let at = 0; at < text.length; at++) if (this.#bytes[from + at] !== text[at]) return false
    return true
  }

  /** Returns the last value as a number; negative unless it has 1 to `maxDigits` digits. */
  whole(maxDigits: number): number {
    const digits = this.to - this.from
    if (digits === 0 || digits > maxDigits) return -1
    let number = 0
    for (let at = this.from; at < this.to; at++) {
      const byte = this.#bytes[at]!
      if (byte < ZERO || byte > NINE) return -1
      number = number * 10 + byte - ZERO
    }
    return number
  }

  #string(): boolean {
    const bytes = this.#bytes
    let at = this.#at
    this.from = at
    for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[++at])
      if (byte === undefined || byte < SPACE || byte >= DELETE || byte === BACKSLASH) return false
    this.to = at
    this.#at = at + 1
    return true
  }

  #number(): boolean {
    const bytes = this.#bytes
    let at = this.#at
    this.from = at
    while (bytes[at]! >= ZERO && bytes[at]! <= NINE) at++
    this.to = at
    this.#at = at
    const digits = at - this.from
    return digits === 1 || (digits > 1 && bytes[this.from] !== ZERO)
  }

  /** Skips white space and `expected`; only white space if another byte follows. */
  #take(expected: number): boolean {
    this.#skipSpace()
    if (this.#bytes[this.#at] !== expected) return false
    this.#at++
    return true
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte !== SPACE && byte !== LINE_FEED && byte !== TAB && byte !== RETURN) return
      this.#at++
    }
  }
}
