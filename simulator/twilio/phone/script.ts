import type { CallHost } from './call-host.ts'
import type { GatherNoun, Method, Twiml, Verb } from './twiml.ts'

/** Result of `<Gather>`. */
export interface Gathered {
  readonly digits: string
  /** The key that ended the input; it is not one of the digits. */
  readonly finishedOnKey: string | undefined
}

/** Collects keys for `<Gather>`. Pure bookkeeping: the caller keeps the time. */
export class KeyCollector {
  readonly #noun: Pick<GatherNoun, 'finishOnKey' | 'numDigits'>
  #digits = ''
  #finishedOnKey: string | undefined

  constructor(noun: Pick<GatherNoun, 'finishOnKey' | 'numDigits'>) {
    this.#noun = noun
  }

  /** Adds a key. Returns true if it was the last one. */
  press(key: string): boolean {
    const { finishOnKey, numDigits } = this.#noun
    if (key === finishOnKey) {
      this.#finishedOnKey = key
      return true
    }
    this.#digits += key
    return this.#digits.length === numDigits
  }

  get gathered(): Gathered {
    return { digits: this.#digits, finishedOnKey: this.#finishedOnKey }
  }
}

/** End of a call; always a value. */
export interface CallEnd {
  /**
   * `hangup`: the participant hung up · `completed`: the TwiML ended the call or ran out, or the account ended it ·
   * `rejected`: it started with `<Reject>` · `failed`: it could not be fetched or read.
   */
  readonly kind: 'hangup' | 'completed' | 'rejected' | 'failed'
  /** With `failed`: the number in Twilio's error catalog. */
  readonly code: number | undefined
  readonly reason: string
}

/** A document to fetch. */
export interface ScriptStep {
  readonly url: string
  readonly method: Method
  /** In addition to the usual fields: `Digits`. */
  readonly fields?: Readonly<Record<string, string>>
}

/** Source of instructions: a document to fetch, or the instructions themselves. */
export type Instructions = ScriptStep | Twiml

/** Limit for a call that only redirects, which would never end. */
const MAX_DOCUMENTS = 200

/** Follows the TwiML from `first` on, document after document, until the call ends. */
export async function follow(host: CallHost, first: Instructions): Promise<CallEnd> {
  let next = first
  let base = ''
  for (let count = 1; count <= MAX_DOCUMENTS; count++) {
    next = host.takeUpdate() ?? next
    if ('url' in next) base = next.url
    const twiml: Twiml = 'url' in next ? await host.fetch(next) : next
    if (host.hungUp) return host.hungUp
    if (host.updated) continue
    if (!twiml.ok) {
      host.error(twiml.code, twiml.why)
      return { kind: 'failed', code: twiml.code, reason: twiml.why }
    }
    if (answers(twiml.verbs[0])) host.answered()
    const then = await perform(host, twiml.verbs, base)
    if (host.hungUp) return host.hungUp
    if (host.updated) continue
    if ('kind' in then) return then
    next = then
  }
  return { kind: 'failed', code: 11215, reason: `${MAX_DOCUMENTS} documents without an end` }
}

/** Performs one document. Returns the instructions that follow it. */
async function perform(host: CallHost, verbs: readonly Verb[], base: string): Promise<ScriptStep | CallEnd> {
  for (const [index, verb] of verbs.entries()) {
    switch (verb.verb) {
      case 'Say':
      case 'Play':
      case 'Pause':
        await host.prompt(verb, base)
        break
      case 'Gather': {
        const errand = answerOf(verb.gather, await host.gather(verb.gather, base), base)
        if (errand && !host.updated) return errand
        break
      }
      case 'Faulty':
        host.error(verb.code, verb.why)
        break
      case 'Connect':
        await host.stream(verb.stream)
        if (verb.action !== undefined && !host.updated)
          return { url: absolute(verb.action, base), method: verb.method }
        break
      case 'Redirect':
        return { url: absolute(verb.url, base), method: verb.method }
      case 'Reject':
        if (index === 0) return { kind: 'rejected', code: undefined, reason: verb.reason }
        return { kind: 'completed', code: undefined, reason: '<Reject> on an answered call' }
      case 'Hangup':
        return { kind: 'completed', code: undefined, reason: '<Hangup>' }
      default:
        verb satisfies never
    }
    if (host.hungUp || host.updated) break
  }
  return { kind: 'completed', code: undefined, reason: 'the TwiML ran out' }
}

/** True if a document that starts with `verb` answers the call. */
function answers(verb: Verb | undefined): boolean {
  return verb?.verb !== 'Reject' && verb?.verb !== 'Redirect'
}

/** Instructions that follow `<Gather>`; undefined if no key was pressed, and the next verb runs. */
function answerOf(
  noun: GatherNoun,
  { digits, finishedOnKey }: Gathered,
  base: string,
): ScriptStep | undefined {
  if (digits === '' && !noun.actionOnEmptyResult) return undefined
  return {
    url: noun.action === undefined ? base : absolute(noun.action, base),
    method: noun.method,
    fields: { Digits: digits, ...(finishedOnKey !== undefined && { FinishedOnKey: finishedOnKey }) },
  }
}

function absolute(url: string, base: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : url
}
