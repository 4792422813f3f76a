import { readCallback, readScript, readTimeLimit } from './call-order.ts'
import type { Form } from './form.ts'
import type { RestCall } from './rest-call.ts'
import { RestError } from './rest-error.ts'

/**
 * Changes a call as `POST /Calls/{Sid}.json` says, and returns what it is then: `Status` ends it, `Url` or `Twiml` is
 * what it does from now on. Throws `RestError` 21220 for a call that is over, or that nobody has answered yet.
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
  // A call that somebody is in is not taken back.
  if (status === 'completed' || (status && call.status !== 'in-progress')) call.hangUp()
  else if (script && 'url' in script) live?.redirect(script.url, script.method)
  else if (script) live?.update(script.twiml)
  return call.json
}
