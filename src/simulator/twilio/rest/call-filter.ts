import { CALL_STATUSES } from './call-state.ts'
import type { Form } from './form.ts'
import type { RestCall } from './rest-call.ts'
import { RestError } from './rest-error.ts'

/** Returns the calls that match a list's query, newest first. Times are compared by day if only a day is given. */
export function callsBy(query: Form, calls: readonly RestCall[]): RestCall[] {
  const to = query.given('To')
  const from = query.given('From')
  const status = query.choice('Status', CALL_STATUSES, 20001)
  const parent = query.given('ParentCallSid')
  const started = within(query, 'StartTime')
  const ended = within(query, 'EndTime')
  return calls
    .filter(({ facts }) => {
      if (to !== undefined && facts.to !== to) return false
      if (from !== undefined && facts.from !== from) return false
      if (status !== undefined && facts.status !== status) return false
      // No call here is the child of another.
      return parent === undefined && started(facts.startedAt) && ended(facts.endedAt)
    })
    .reverse()
}

/** `StartTime`, `StartTime<` and `StartTime>`: on that day, not after, not before. */
function within(query: Form, name: string): (ms: number | undefined) => boolean {
  const on = moment(query, name)
  const before = moment(query, `${name}<`)
  const since = moment(query, `${name}>`)
  if (!on && !before && !since) return () => true
  return ms => {
    if (ms === undefined) return false
    if (on && (ms < on.from || ms >= on.until)) return false
    return !(before && ms >= before.until) && !(since && ms < since.from)
  }
}

const DAY_MS = 86_400_000

function moment(query: Form, name: string): { from: number; until: number } | undefined {
  const text = query.given(name)
  if (text === undefined) return undefined
  const from = Date.parse(text)
  if (Number.isNaN(from)) throw new RestError(20001, `${name} ${text}`)
  return { from, until: from + (/^\d{4}-\d\d-\d\d$/.test(text) ? DAY_MS : 1) }
}
