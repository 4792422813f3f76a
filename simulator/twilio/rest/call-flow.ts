import type { Clock } from '../../../src/common/clock.ts'
import { SimulatedCall } from '../phone/call.ts'
import { type CallOptions, decide } from '../phone/call-options.ts'
import type { CallEnd } from '../phone/script.ts'
import type { CallOrder, CallStatus, MachineDetection } from './call-order.ts'
import type { Callbacks } from './callbacks.ts'
import type { PhoneNumber, Subscriber, SubscriberOptions } from './phone-number.ts'
import type { RestCall } from './rest-call.ts'

/**
 * Connects a call to the voice webhook of the called number, and keeps the account's record of it. Settles like
 * `placeCall`; `onPlaced` receives the phone at once.
 */
export async function putThrough(
  call: RestCall,
  number: PhoneNumber,
  phone: Partial<CallOptions>,
  onPlaced: (phone: SimulatedCall) => void,
): Promise<SimulatedCall> {
  const begun = Promise.withResolvers<void>()
  const { voiceUrl, voiceMethod } = number
  const options: CallOptions = {
    ...phone,
    webhook: voiceUrl || 'http://nothing.invalid/',
    method: voiceMethod,
    // A number without a webhook: Twilio answers, reports that it is not configured, and hangs up.
    ...(!voiceUrl && { twiml: '<Response><Hangup/></Response>' }),
    callSid: call.sid,
    onAnswered: () => {
      call.move('in-progress')
      phone.onAnswered?.()
    },
  }
  const placed = SimulatedCall.place(decide(options), begun.resolve)
  call.phone = placed
  onPlaced(placed)
  void placed.ended.then(end => call.move(statusOf(end, call.status)))
  await Promise.race([begun.promise, placed.ended])
  return placed
}

/** Status in the account's record for a call that ended this way. */
function statusOf(end: CallEnd, status: CallStatus): CallStatus {
  if (status === 'in-progress') return 'completed'
  switch (end.kind) {
    case 'rejected':
      return end.reason === 'busy' ? 'busy' : 'no-answer'
    case 'hangup':
      return 'canceled'
    default:
      return 'failed'
  }
}

/** Time until a verdict (ms); real ones take seconds. */
const DETECT_MS = 200

/** Detects who has answered and reports it to the callback, if any. Settles with the verdict, or with the call. */
async function detect(
  call: RestCall,
  { callback }: MachineDetection,
  { behavior }: SubscriberOptions,
  callbacks: Callbacks,
): Promise<void> {
  await Promise.race([new Promise<void>(resolve => void call.later(DETECT_MS, resolve)), call.ended])
  if (call.over) return
  const answeredBy = behavior === 'voicemail' ? 'machine_start' : 'human'
  call.detected(answeredBy)
  if (!callback) return
  const fields = {
    AccountSid: call.parties.accountSid,
    AnsweredBy: answeredBy,
    CallSid: call.sid,
    MachineDetectionDuration: String(DETECT_MS),
  }
  callbacks.tellNow({ to: callback, fields })
}

/** Time until a subscriber answers (ms). */
const ANSWER_MS = 100
/** Time from the request until a call is dialed, and from there until it rings (ms). */
const QUEUE_MS = 10
const RING_MS = 20
/** SIP status of the network: busy here, not found, canceled. */
const SIP = { busy: 486, fails: 404, unanswered: 487 } as const

export interface OutgoingOptions {
  readonly clock: Clock
  readonly callbacks: Callbacks
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
  options: OutgoingOptions,
): void {
  call.later(QUEUE_MS, () => {
    call.initiate()
    call.later(RING_MS, () => {
      if (callee) ring(call, order, callee, options)
      else call.move('failed', SIP.fails)
    })
  })
}

function ring(call: RestCall, order: CallOrder, callee: Subscriber, options: OutgoingOptions): void {
  call.move('ringing')
  const tooLong = call.later(order.timeoutSeconds * 1000 + options.timeoutMarginMs, () =>
    call.move('no-answer', SIP.unanswered),
  )
  const { behavior = 'answers', answerAfterMs = ANSWER_MS } = callee.options
  if (behavior === 'no-answer') return
  call.later(answerAfterMs, () => {
    tooLong[Symbol.dispose]()
    switch (behavior) {
      case 'answers':
      case 'voicemail':
        return void pickUp(call, order, callee, options)
      case 'busy':
        return void call.move('busy', SIP.busy)
      case 'fails':
        return void call.move('failed', SIP.fails)
      default:
        behavior satisfies never
    }
  })
}

async function pickUp(
  call: RestCall,
  order: CallOrder,
  callee: Subscriber,
  options: OutgoingOptions,
): Promise<void> {
  call.move('in-progress')
  call.limit(order.timeLimitSeconds)
  const { detection, script } = order
  const verdict = detection && detect(call, detection, callee.options, options.callbacks)
  // Without a callback, the TwiML waits for the verdict.
  if (detection && !detection.callback) await verdict
  if (call.over) return
  const { answeredBy } = call
  const phoneOptions: CallOptions = {
    ...options.phone,
    ...('url' in script ? { webhook: script.url, method: script.method } : { twiml: script.twiml }),
    outbound: true,
    callSid: call.sid,
    from: call.parties.from,
    to: call.parties.to,
    clock: options.clock,
    fields: answeredBy === undefined ? {} : { AnsweredBy: answeredBy },
    ...callee.options.phone,
  }
  const phone = SimulatedCall.place(decide(phoneOptions), () => {})
  call.phone = phone
  void phone.ended.then(() => call.move('completed'))
  callee.took(phone)
  const { voice } = callee.options
  if (typeof voice === 'function') await voice(phone)
  else if (voice) await phone.say(voice)
}
