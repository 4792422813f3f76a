import type { StreamEnd } from './stream-report.ts'
import type { Method, StreamNoun, Twiml, Verb } from './twiml.ts'

/** How a call ended; always a value. */
export interface CallEnd {
  /**
   * `hangup`: the party hung up · `completed`: the TwiML said so or ran out · `rejected`: it began with `<Reject>` ·
   * `failed`: it could not be fetched or read.
   */
  readonly kind: 'hangup' | 'completed' | 'rejected' | 'failed'
  /** With `failed`: the number in Twilio's error catalogue. */
  readonly code: number | undefined
  readonly reason: string
}

/** A document to fetch. */
export interface Errand {
  readonly url: string
  readonly method: Method
}

/** What a script needs of its call. All of it settles soon after the call was hung up, and nothing rejects. */
export interface ScriptHost {
  /** Set once the party hung up. */
  readonly hungUp: CallEnd | undefined
  /** True once somebody gave the call other instructions. */
  readonly updated: boolean
  /** Takes those instructions away; undefined when there are none. */
  takeUpdate(): Twiml | undefined
  fetch(errand: Errand): Promise<Twiml>
  said(text: string): void
  pause(seconds: number): Promise<void>
  stream(noun: StreamNoun): Promise<StreamEnd>
  error(code: number, text: string): void
}

/** A call that only ever redirects would never end. */
const MAX_DOCUMENTS = 200

/** Follows the TwiML from `first` on, document after document, until the call ends. */
export async function follow(host: ScriptHost, first: Errand): Promise<CallEnd> {
  let base = first.url
  let twiml = await host.fetch(first)
  for (let count = 1; count <= MAX_DOCUMENTS; count++) {
    if (host.hungUp) return host.hungUp
    twiml = host.takeUpdate() ?? twiml
    if (!twiml.ok) {
      host.error(twiml.code, twiml.why)
      return { kind: 'failed', code: twiml.code, reason: twiml.why }
    }
    const next = await perform(host, twiml.verbs, base)
    if (host.hungUp) return host.hungUp
    if (host.updated) continue
    if ('kind' in next) return next
    base = next.url
    twiml = await host.fetch(next)
  }
  return { kind: 'failed', code: 11215, reason: `${MAX_DOCUMENTS} documents and no end` }
}

/** Performs one document. Returns what comes after it. */
async function perform(host: ScriptHost, verbs: readonly Verb[], base: string): Promise<Errand | CallEnd> {
  for (const [index, verb] of verbs.entries()) {
    switch (verb.verb) {
      case 'Say':
        host.said(verb.text)
        break
      case 'Play':
        break
      case 'Pause':
        await host.pause(verb.seconds)
        break
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

function absolute(url: string, base: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : url
}
