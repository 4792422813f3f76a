import { readCallback, readScript, readTimeLimit } from './call-order.ts'
import type { Form } from './form.ts'
import type { RestCall } from './rest-call.ts'
import { RestError } from './rest-error.ts'

/**
 * Changes a call like `POST /Calls/{Sid}.json`, and returns the result: `Status` ends it, `Url` or `Twiml` gives it new
 * instructions. Throws `RestError` 21220 for a call that is over, or not answered yet.
 */
export function updateCall(call: RestCall, form: Form): Record<string, unknown> {
  const status = form.choice('Status', ['completed', 'canceled'] as const, 20001)
  const script = readScript(form)
  const seconds = readTimeLimit(form)
  const callback = readCallback(form, 'StatusCallback', 21609)
  if (call.over) throw new RestError(21220)
  const live = script && !status ? call.live() : undefined
  if (callback) call.redirectStatus(callback)
  if (seconds !== undefined) call.limit(seconds)
  // An answered call cannot be canceled.
  if (status === 'completed' || (status && call.status !== 'in-progress')) call.hangUp()
  else if (script && 'url' in script) live?.redirect(script.url, script.method)
  else if (script) live?.update(script.twiml)
  return call.json
}
