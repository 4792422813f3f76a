import { isLanguageId, type LanguageId } from '../../common/language.ts'
import { nearest } from '../../common/suggest.ts'
import type { OriginalVoice } from '../../core/model/invitation.ts'

/** Parameters of a webhook’s address. Absent parameters are taken from the number’s settings. */
export interface WebhookQuery {
  /** `none`: callers only listen. */
  readonly speaks?: LanguageId | 'none'
  readonly hears?: LanguageId
  readonly room?: string
  readonly original?: OriginalVoice
  readonly name?: string
}

/** An ignored parameter, for the log: never a phone number or a name. */
export interface QueryFault {
  readonly parameter: string
  readonly found: string
  readonly allowed: string
}

const LANGUAGE = 'a language like en-us'
const NAME = 'up to 64 characters, without control characters'
const ORIGINALS: readonly string[] = ['off', 'low', 'duck'] satisfies OriginalVoice[]

const PARAMETERS: Readonly<Record<keyof WebhookQuery, { fits: (text: string) => boolean; allowed: string }>> =
  {
    speaks: { fits: text => text === 'none' || isLanguageId(text), allowed: `${LANGUAGE}, or none` },
    hears: { fits: isLanguageId, allowed: LANGUAGE },
    room: { fits: isName, allowed: NAME },
    original: { fits: text => ORIGINALS.includes(text), allowed: ORIGINALS.join(', ') },
    name: { fits: isName, allowed: NAME },
  }
const KNOWN = Object.keys(PARAMETERS)

/**
 * Parses the query. Invalid values and unknown parameters are ignored, since an address can have parameters of others;
 * `slip` is called for those that look like a typo.
 */
export function webhookQuery(
  query: Readonly<Record<string, string>>,
  slip: (fault: QueryFault) => void = () => {},
): WebhookQuery {
  const said: Record<string, string> = {}
  for (const [parameter, { fits, allowed }] of Object.entries(PARAMETERS)) {
    const text = query[parameter]
    if (!text) continue
    if (fits(text)) said[parameter] = text
    else slip({ parameter, found: shown(text), allowed })
  }
  for (const parameter of Object.keys(query)) {
    const meant =
      KNOWN.includes(parameter) || !/^[\w-]{1,32}$/.test(parameter) ? undefined : nearest(parameter, KNOWN)
    if (meant)
      slip({
        parameter,
        found: 'an unknown parameter',
        allowed: `${KNOWN.join(', ')} (did you mean ${meant}?)`,
      })
  }
  return said
}

/** Short and without control characters, because it is displayed and logged. */
function isName(text: string): boolean {
  return text.length <= 64 && !/\p{Cc}/u.test(text)
}

/** Returns a word unchanged; of anything else, only the length. */
function shown(text: string): string {
  return /^[A-Za-z][A-Za-z_-]{0,23}$/.test(text) ? `"${text}"` : `a text of ${text.length} characters`
}
