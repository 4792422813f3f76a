import type { OriginalVoice } from '../core/invitation.ts'
import { isLanguageId, type LanguageId } from '../core/languages.ts'
import { nearest } from '../core/nearest.ts'

/** What the query of a webhook's address may say; what is absent is as the number's settings have it. */
export interface WebhookQuery {
  /** `none`: callers only listen. */
  readonly speaks?: LanguageId | 'none'
  readonly hears?: LanguageId
  readonly room?: string
  readonly original?: OriginalVoice
  readonly name?: string
}

/** A parameter that was left out of account, for the log: nothing that could be a number or a name of somebody. */
export interface QueryFault {
  readonly parameter: string
  readonly found: string
  readonly allowed: string
}

const LANGUAGE = 'a language like en-us'
const NAME = 'up to 64 characters, none of them a control character'
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
 * What the query says. A value that is none is as if absent, and so is a parameter of another name, since others may have
 * theirs in the address; one that looks like a slip of the pen is told to `slip` all the same.
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
        found: 'a parameter that is not known',
        allowed: `${KNOWN.join(', ')} (did you mean ${meant}?)`,
      })
  }
  return said
}

/** Short, and without control characters: it is shown and logged. */
function isName(text: string): boolean {
  return text.length <= 64 && !/\p{Cc}/u.test(text)
}

/** A word as it is; of anything else only how long it is. */
function shown(text: string): string {
  return /^[A-Za-z][A-Za-z_-]{0,23}$/.test(text) ? `"${text}"` : `a text of ${text.length} characters`
}
