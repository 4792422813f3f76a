import { ordinary, shown, started, unauthorized } from './assertions.ts'
import type { Evidence, Reply, SessionRecord } from './evidence.ts'
import { broken, either, holds, notShown, type Statement, statement, type Verdict } from './statement.ts'

/** Section 5: authentication. */
export const SECTION_5: readonly Statement[] = [
  statement('5.1-1', 'every HTTP request needs a key', evidence => allRefused(evidence, evidence.keyless)),
  statement('5.1-2', 'every HTTP request needs a valid key', evidence =>
    allRefused(evidence, evidence.wrongKey),
  ),
  statement('5.1-3', 'every connection needs a key', ({ sessions }) => noneStarts(sessions.keyless)),
  statement('5.1-4', 'every connection needs a valid key', ({ sessions }) => noneStarts(sessions.wrongKey)),
  statement('5.2-1', 'HTTP: the key is the header x-api-key', ({ languages, voices, batch }) => {
    const refused = [languages, voices.all, batch.stt].filter(unauthorized)
    if ([languages, voices.all, batch.stt].every(({ status }) => status === 0)) return notShown('no reply')
    return either(
      refused.length === 0,
      refused[0] ? `${refused[0].asked} answers ${refused[0].status}` : 'taken',
    )
  }),
  statement('5.3-1', 'Socket.IO: the key is the field token of auth', evidence => {
    const records = ordinary(evidence)
    if (records.some(({ happened }) => happened.some(({ kind }) => kind === 'connect'))) return holds('taken')
    const refused = records
      .flatMap(({ happened }) => happened)
      .find(({ kind, payload }) => kind === 'connect_error' && payload !== undefined)
    return refused ? broken(shown(refused.payload)) : notShown('no connection')
  }),
  statement('5.5-1', 'the session stays open until disconnection', evidence => {
    const begun = ordinary(evidence).filter(started)
    if (begun.length === 0) return notShown('no session starts')
    const ended = begun.find(({ happened }) => happened.some(({ kind }) => kind === 'disconnect'))
    return either(!ended, ended ? `${ended.namespace} ended by itself` : `${begun.length} sessions`)
  }),
]

/** `replies` stand in the order of the same requests with the right key: a path that nobody gets needs no key. */
function allRefused({ languages, voices, batch }: Evidence, replies: readonly Reply[]): Verdict {
  const open = replies.find(({ status }) => status >= 200 && status < 300)
  if (open) return broken(`${open.asked} answers ${open.status}`)
  const withKey = [languages, voices.all, batch.stt]
  const met = replies.filter(({ status }, n) => status >= 400 && withKey[n]?.status !== status)
  if (met.length === 0) return notShown(replies.some(({ status }) => status > 0) ? 'no path' : 'no reply')
  return holds(met.map(({ status }) => status).join(', '))
}

function noneStarts(records: readonly SessionRecord[]): Verdict {
  const open = records.find(started)
  if (open) return broken(`${open.namespace} starts`)
  const met = records.some(({ happened }) => happened.some(({ payload }) => payload !== undefined))
  return met ? holds('refused') : notShown('no connection')
}
