import { type FaultyVerb, faulty, loopOf, type Method, methodOf, secondsOf } from './attributes.ts'
import type { Element } from './xml.ts'

/** Prompts to say and play while waiting for keys. */
export type Prompt =
  | { verb: 'Say'; text: string; language: string | undefined }
  | { verb: 'Play'; url: string; loop: number }
  | { verb: 'Pause'; seconds: number }

/** Keys to gather (TwiML `<Gather>`); speech input is not simulated. */
export interface GatherNoun {
  /** Requested with the digits; if absent, the document's own URL. */
  action: string | undefined
  method: Method
  /** Number of digits that ends it; if absent, there is no limit. */
  numDigits: number | undefined
  /** Ends the input without being a digit of it; empty: no key does. */
  finishOnKey: string
  /** Timeout after the last key, or after the prompts (s). */
  timeoutSeconds: number
  /** Requests `action` even if no key was pressed. */
  actionOnEmptyResult: boolean
  prompts: readonly Prompt[]
}

const FINISH_KEY = /^[0-9*#]?$/
const DEFAULT_SECONDS = 5

/** Reads `<Gather>` as a verb, or as the error that Twilio would log. */
export function gatherOf(element: Element): { verb: 'Gather'; gather: GatherNoun } | FaultyVerb {
  const { attributes } = element
  const input = (attributes.get('input') ?? 'dtmf').split(' ')
  if (!input.includes('dtmf')) return faulty(12200, `<Gather input="${input.join(' ')}"> is not modelled`)
  const finishOnKey = attributes.get('finishOnKey') ?? '#'
  if (!FINISH_KEY.test(finishOnKey)) return faulty(13310, `finishOnKey ${JSON.stringify(finishOnKey)}`)
  const digits = attributes.get('numDigits')
  if (digits !== undefined && !/^[1-9]\d{0,3}$/.test(digits)) return faulty(13314, `numDigits ${digits}`)
  const prompts: Prompt[] = []
  for (const child of element.children) {
    const prompt = promptOf(child)
    if (!prompt) return faulty(12200, `<${child.name}> is not allowed in <Gather>`)
    prompts.push(prompt)
  }
  return {
    verb: 'Gather',
    gather: {
      action: attributes.get('action'),
      method: methodOf(attributes.get('method')),
      numDigits: digits === undefined ? undefined : Number(digits),
      finishOnKey,
      timeoutSeconds: secondsOf(attributes.get('timeout'), DEFAULT_SECONDS),
      actionOnEmptyResult: attributes.get('actionOnEmptyResult') === 'true',
      prompts,
    },
  }
}

/** Reads a verb that is allowed alone and in `<Gather>`; undefined for any other. */
export function promptOf(element: Element): Prompt | undefined {
  const { name, text, attributes } = element
  switch (name) {
    case 'Say':
      return { verb: 'Say', text: text.trim(), language: attributes.get('language') }
    case 'Play':
      return { verb: 'Play', url: text.trim(), loop: loopOf(element) }
    case 'Pause':
      return { verb: 'Pause', seconds: secondsOf(attributes.get('length'), 1) }
    default:
      return undefined
  }
}
