import { SimulatedCall } from '../phone/call.ts'
import { type CallOptions, decide } from '../phone/call-options.ts'
import type { CallEnd } from '../phone/script.ts'
import type { CallStatus } from './call-state.ts'
import type { PhoneNumber } from './phone-number.ts'
import type { RestCall } from './rest-call.ts'

/**
 * Puts a call through to the voice webhook of the number it is for, and keeps the account's record of it. Settles as
 * `placeCall` does; `onPlaced` is told of the phone at once.
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
    // A number without a webhook: Twilio answers, says that it is not configured, and hangs up.
    ...(voiceUrl ? {} : { twiml: '<Response><Hangup/></Response>' }),
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

/** What the account's record says of a call that ended so. */
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
