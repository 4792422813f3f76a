import type { NoticeName } from '../../core/model/announcer.ts'

/**
 * The system’s sentences in one language. `{place}` is replaced with a value of the notice; a part in `[…]` is omitted
 * if its value is missing.
 */
export interface Words {
  readonly notices: Readonly<Record<NoticeName, string>>
  /** Spoken names of the phone keys: digits, star, hash. */
  readonly keys: Readonly<Record<string, string>>
}
