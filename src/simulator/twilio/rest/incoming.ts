import { SimulatedCall } from '../phone/call.ts'
import { type CallOptions, decide } from '../phone/call-options.ts'
import type { CallEnd } from '../phone/script.ts'
import type { CallStatus } from './call-state.ts'
import type { PhoneNumber } from './phone-number.ts'
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
