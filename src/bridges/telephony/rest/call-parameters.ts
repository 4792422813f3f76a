import type { CallOrder } from '../ports/carrier-api.ts'

/**
 * Maximum duration of machine detection (s). With the default of 30, people would be talking long before the result.
 */
const DETECTION_SECONDS = 8

/**
 * The fields of a new call in the REST APIs that follow Twilio’s (Twilio: Calls resource). `events` are those of the status
 * callback, as separate fields or in one.
 */
export function callParameters(order: CallOrder, events: readonly string[]): URLSearchParams {
  const { to, from, answerUrl, statusUrl, machineUrl, ringSeconds, limitSeconds } = order
  const form = new URLSearchParams({ To: to, From: from, Url: answerUrl, Method: 'POST' })
  form.set('StatusCallback', statusUrl)
  form.set('StatusCallbackMethod', 'POST')
  for (const event of events) form.append('StatusCallbackEvent', event)
  form.set('Timeout', String(ringSeconds))
  if (limitSeconds !== undefined) form.set('TimeLimit', String(Math.ceil(limitSeconds)))
  if (machineUrl === undefined) return form
  form.set('MachineDetection', 'Enable')
  form.set('MachineDetectionTimeout', String(DETECTION_SECONDS))
  form.set('AsyncAmd', 'true')
  form.set('AsyncAmdStatusCallback', machineUrl)
  form.set('AsyncAmdStatusCallbackMethod', 'POST')
  return form
}
