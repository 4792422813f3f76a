import type { MachineDetection } from './call-order.ts'
import type { Callbacks } from './callbacks.ts'
import type { RestCall } from './rest-call.ts'
import type { SubscriberOptions } from './subscriber.ts'

/** Time until a verdict (ms); real ones take seconds. */
const DETECT_MS = 200

/** Detects who has answered and reports it to the callback, if any. Settles with the verdict, or with the call. */
export async function detect(
  call: RestCall,
  detection: MachineDetection,
  answerer: SubscriberOptions,
  terms: { readonly callbacks: Callbacks },
): Promise<void> {
  const wanted = answerer.detectAfterMs ?? DETECT_MS
  const longest = detection.timeoutSeconds * 1000
  const ms = Math.min(wanted, longest)
  await Promise.race([new Promise<void>(resolve => void call.later(ms, resolve)), call.ended])
  if (call.over) return
  const answeredBy = wanted > longest ? 'unknown' : verdictOf(detection, answerer)
  call.detected(answeredBy)
  if (!detection.callback) return
  const fields = {
    AccountSid: call.parties.accountSid,
    AnsweredBy: answeredBy,
    CallSid: call.sid,
    MachineDetectionDuration: String(Math.round(ms)),
  }
  terms.callbacks.tellNow({ callSid: call.sid, event: 'amd', to: detection.callback, fields })
}

function verdictOf({ mode }: MachineDetection, { behaviour, answeredBy }: SubscriberOptions): string {
  if (answeredBy !== undefined) return answeredBy
  if (behaviour !== 'voicemail') return 'human'
  return mode === 'Enable' ? 'machine_start' : 'machine_end_beep'
}
