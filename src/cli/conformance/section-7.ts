import { EVENT } from '../../service/contract.ts'
import { errorFaults, ordinary, shown, unauthorized } from './assertions.ts'
import { broken, either, holds, notShown, type Statement, statement, type Verdict } from './statement.ts'

/** Section 7: errors. */
export const SECTION_7: readonly Statement[] = [
  statement('7-1', 'an HTTP error is { code, error, description }', ({ keyless, wrongKey, batch }) => {
    const replies = [...keyless, ...wrongKey, batch.garbage].filter(({ status }) => status >= 400)
    return errorObjects(replies.map(({ asked, body }) => ({ where: asked, body })))
  }),
  statement('7-2', 'the error event carries { code, error, description }', evidence => {
    const records = [...ordinary(evidence), evidence.sessions.wrongSetup]
    const errors = records.flatMap(({ namespace, happened }) =>
      happened
        .filter(({ kind, name }) => kind === 'event' && name === EVENT.error)
        .map(({ payload }) => ({ where: namespace, body: payload })),
    )
    return errorObjects(errors)
  }),
  statement('7-3', 'the data of connect_error is { code, error, description }', ({ sessions }) => {
    const errors = [...sessions.keyless, ...sessions.wrongKey].flatMap(({ namespace, happened }) =>
      happened
        .filter(({ kind, payload }) => kind === 'connect_error' && payload !== undefined)
        .map(({ payload }) => ({ where: namespace, body: payload })),
    )
    return errorObjects(errors)
  }),
  statement('7-4', 'a file that cannot be processed is an error', ({ batch: { garbage } }) => {
    const { status, body } = garbage
    if (status === 0 || status === 404 || unauthorized(garbage)) return notShown(`HTTP ${status}`)
    return either(status >= 400, `HTTP ${status} ${shown(body)}`)
  }),
]

function errorObjects(errors: readonly { where: string; body: unknown }[]): Verdict {
  const [first] = errors
  if (!first) return notShown('no error')
  const wrong = errors.find(({ body }) => errorFaults(body).length > 0)
  if (wrong) return broken(`${wrong.where}: ${shown(wrong.body)} lacks ${errorFaults(wrong.body).join(', ')}`)
  return holds(shown(first.body))
}
