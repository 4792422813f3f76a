import { randomBytes } from 'node:crypto'

/** Twilio's identifiers: two letters that tell the kind, then 32 hexadecimal digits. */
export type SidKind = 'AC' | 'CA' | 'MZ' | 'PN' | 'RQ'

/** A fresh identifier: `AC` account, `CA` call, `MZ` media stream, `PN` number, `RQ` request. */
export function newSid(kind: SidKind): string {
  return kind + randomBytes(16).toString('hex')
}
