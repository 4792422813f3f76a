import { createHmac } from 'node:crypto'
import type { Spoken } from '../incoming-call.ts'
import type { CallInstructions, Instructions, KeyPlan, StreamPlan } from '../ports/call-instructions.ts'
import type { JambonzRate } from './wire.ts'

/** A verb, as jambonz executes it: one after the other, until the list ends and the call with it. */
interface Verb {
  readonly verb: string
  readonly [option: string]: unknown
}

/** User name and password of the media socket. */
export interface StreamLogin {
  readonly username: string
  readonly password: string
}

/** Derives the login of the media socket from a webhook secret, so that all servers of an account share it. */
export function streamLogin(webhookSecret: string): StreamLogin {
  const password = createHmac('sha256', webhookSecret).update('dragoman listen').digest('hex').slice(0, 32)
  return { username: 'dragoman', password }
}

/** `CallInstructions` as jambonz verbs. `login`: absent if requests are not verified. */
export function jambonzVerbs(rate: JambonzRate, login?: StreamLogin): CallInstructions {
  return {
    connectStream: plan => verbs(...connectStream(plan, rate, login)),
    waitAndAsk: (seconds, url) => verbs({ verb: 'pause', length: Math.round(seconds) }, ask(url)),
    gatherKeys: plan => verbs(gatherKeys(plan)),
    playAndHangUp: urls => verbs({ verb: 'play', url: urls }, HANG_UP),
    sayAndHangUp: spoken => verbs(say(spoken), HANG_UP),
    reject: reason => verbs(DECLINE[reason]),
    hangUp: () => verbs(HANG_UP),
  }
}

const HANG_UP: Verb = { verb: 'hangup' }

const DECLINE: Readonly<Record<'busy' | 'rejected', Verb>> = {
  busy: { verb: 'sip:decline', status: 486, reason: 'Busy Here' },
  rejected: { verb: 'sip:decline', status: 603, reason: 'Decline' },
}

function verbs(...list: readonly Verb[]): Instructions {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(list) }
}

/** Requests further verbs, by POST. */
function ask(url: string): Verb {
  return { verb: 'redirect', actionHook: url }
}

/**
 * Answers the call and streams it. The `redirect` runs once the socket is closed and the call continues; an `actionHook` of
 * `listen` would be requested after a hang-up as well.
 */
function connectStream(
  { streamUrl, parameters, resumeUrl, pauseSeconds = 0 }: StreamPlan,
  sampleRate: JambonzRate,
  login: StreamLogin | undefined,
): readonly Verb[] {
  const pause: readonly Verb[] = pauseSeconds > 0 ? [{ verb: 'pause', length: Math.round(pauseSeconds) }] : []
  const listen: Verb = {
    verb: 'listen',
    url: streamUrl,
    mixType: 'mono',
    sampleRate,
    passDtmf: true,
    // Without `streaming` jambonz ignores binary frames; without `sampleRate` it would guess.
    bidirectionalAudio: { enabled: true, streaming: true, sampleRate },
    metadata: parameters,
    ...(login && { wsAuth: login }),
  }
  return [...pause, listen, ask(resumeUrl)]
}

function gatherKeys({ playUrls, actionUrl, keys, pauseSeconds }: KeyPlan): Verb {
  const seconds = Math.round(pauseSeconds)
  return {
    verb: 'gather',
    input: ['digits'],
    play: { url: playUrls },
    actionHook: actionUrl,
    timeout: seconds,
    // The pause between keys only counts once `minDigits` were pressed, and never without `minDigits`.
    ...(keys === undefined
      ? { finishOnKey: '#', minDigits: 1, interDigitTimeout: seconds }
      : { numDigits: keys }),
  }
}

/** Speaks with the default vendor of the application. */
function say({ text, language = 'en-US' }: Spoken): Verb {
  return { verb: 'say', text: plain(text), synthesizer: { vendor: 'default', language } }
}

/** A text that starts with `<speak` would be read as SSML. */
function plain(text: string): string {
  return text.toWellFormed().replace(/^\s*<speak/, ' speak')
}
