import type { Clock } from '../../../common/clock.ts'
import { SimulatedCall } from '../phone/call.ts'
import { type CallOptions, decide } from '../phone/call-options.ts'
import type { CallOrder } from './call-order.ts'
import type { Callbacks } from './callbacks.ts'
import { detect } from './machine-detection.ts'
import type { RestCall } from './rest-call.ts'
import type { Subscriber } from './subscriber.ts'

/** Time until a subscriber answers (ms). */
const ANSWER_MS = 100
/** SIP status of the network: busy here, declined, not found, canceled. */
const SIP = { busy: 486, rejects: 603, fails: 404, unanswered: 487 } as const

export interface OutgoingTerms {
  readonly clock: Clock
  readonly callbacks: Callbacks
  /** Time from the request until it is dialed, and from there until it rings (ms). */
  readonly queueMs: number
  readonly ringMs: number
  /** Additional ringing time compared with the request (ms). */
  readonly timeoutMarginMs: number
  /** Options of every phone of the account: routes, credentials. */
  readonly phone: Pick<CallOptions, 'webhook'> & Partial<CallOptions>
}

/**
 * Carries a call of the account to its end: queued, ringing at `callee`, then the callee's behavior. Without a callee
 * it fails.
 */
export function carryOut(
  call: RestCall,
  order: CallOrder,
  callee: Subscriber | undefined,
  terms: OutgoingTerms,
): void {
  call.later(terms.queueMs, () => {
    call.initiate()
    call.later(terms.ringMs, () => {
      if (callee) ring(call, order, callee, terms)
      else call.move('failed', SIP.fails)
    })
  })
}

function ring(call: RestCall, order: CallOrder, callee: Subscriber, terms: OutgoingTerms): void {
  call.move('ringing')
  const tooLong = call.later(order.timeoutSeconds * 1000 + terms.timeoutMarginMs, () =>
    call.move('no-answer', SIP.unanswered),
  )
  const { behaviour = 'answers', answerAfterMs = ANSWER_MS } = callee.options
  if (behaviour === 'no-answer') return
  call.later(answerAfterMs, () => {
    tooLong[Symbol.dispose]()
    switch (behaviour) {
      case 'answers':
      case 'voicemail':
        return void pickUp(call, order, callee, terms)
      case 'busy':
      case 'rejects':
        return void call.move('busy', SIP[behaviour])
      case 'fails':
        return void call.move('failed', SIP.fails)
      default:
        behaviour satisfies never
    }
  })
}

async function pickUp(
  call: RestCall,
  order: CallOrder,
  callee: Subscriber,
  terms: OutgoingTerms,
): Promise<void> {
  call.move('in-progress')
  call.limit(order.timeLimitSeconds)
  const { detection, script } = order
  const verdict = detection && detect(call, detection, callee.options, terms)
  // Without a callback, the TwiML waits for the verdict.
  if (detection && !detection.callback) await verdict
  if (call.over) return
  const { answeredBy } = call
  const options: CallOptions = {
    ...terms.phone,
    ...('url' in script ? { webhook: script.url, method: script.method } : { twiml: script.twiml }),
    outbound: true,
    callSid: call.sid,
    from: call.parties.from,
    to: call.parties.to,
    clock: terms.clock,
    fields: answeredBy === undefined ? {} : { AnsweredBy: answeredBy },
    ...callee.options.phone,
  }
  const phone = SimulatedCall.place(decide(options), () => {})
  call.phone = phone
  void phone.ended.then(() => call.move('completed'))
  callee.took(phone)
  const { voice } = callee.options
  if (typeof voice === 'function') await voice(phone)
  else if (voice) await phone.say(voice)
}
