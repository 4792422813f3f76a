import { randomBytes } from 'node:crypto'

/** Twilio's identifiers: two letters for the type, then 32 hexadecimal digits. */
export type SidKind = 'AC' | 'CA' | 'MZ' | 'PN' | 'RQ'

/** Returns a new identifier: `AC` account, `CA` call, `MZ` media stream, `PN` number, `RQ` request. */
export function newSid(kind: SidKind): string {
  return kind + randomBytes(16).toString('hex')
}
