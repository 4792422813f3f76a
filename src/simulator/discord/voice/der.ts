/** The few parts of DER (ITU-T X.690) that a certificate needs. Each function returns one whole element. */

export function sequence(...elements: Uint8Array[]): Buffer {
  return element(0x30, ...elements)
}

export function setOf(...elements: Uint8Array[]): Buffer {
  return element(0x31, ...elements)
}

/** `[n]` around whole elements. */
export function tagged(n: number, ...elements: Uint8Array[]): Buffer {
  return element(0xa0 | n, ...elements)
}

/** `[n]` instead of the type that bare `bytes` would have. */
export function implicit(n: number, bytes: Uint8Array): Buffer {
  return element(0x80 | n, bytes)
}

/** A number above or equal to 0, as big-endian bytes of any length. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex(byte => byte !== 0)
  const digits = first < 0 ? new Uint8Array(1) : bytes.subarray(first)
  // The first bit is the sign.
  return (digits[0] ?? 0) & 0x80 ? element(0x02, Uint8Array.of(0), digits) : element(0x02, digits)
}

export function truth(): Buffer {
  return element(0x01, Uint8Array.of(0xff))
}

export function bitString(bytes: Uint8Array): Buffer {
  return element(0x03, Uint8Array.of(0), bytes)
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(0x04, bytes)
}

export function text(value: string): Buffer {
  return element(0x0c, Buffer.from(value, 'utf8'))
}

/** GeneralizedTime, in whole seconds of UTC. */
export function time(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/\.\d+Z$|[-:T]/g, '')
  return element(0x18, Buffer.from(`${digits}Z`, 'latin1'))
}

/** An object identifier in dotted notation: `1.2.840.10045.4.3.2`. */
export function oid(dotted: string): Buffer {
  const [a = 0, b = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Uint8Array.from([a * 40 + b, ...rest].flatMap(base128)))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

function element(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Uint8Array.from([tag, ...lengthOf(content.length)]), content])
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let left = length; left > 0; left >>>= 8) bytes.unshift(left & 0xff)
  return [0x80 | bytes.length, ...bytes]
}
