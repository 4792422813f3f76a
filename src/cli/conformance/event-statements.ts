import { EVENT } from '../../service/contract.ts'
import type { Evidence, ServerReply, SessionRecord } from './evidence.ts'
import {
  ackOf,
  answers,
  broken,
  either,
  errorFaults,
  events,
  holds,
  isVoice,
  mp3Frame,
  notShown,
  ordinary,
  type Statement,
  shown,
  started,
  startOf,
  statement,
  unauthorized,
  type Verdict,
} from './statement.ts'

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
      refused[0] ? `${refused[0].asked} returns ${refused[0].status}` : 'accepted',
    )
  }),
  statement('5.3-1', 'Socket.IO: the key is the field token of auth', evidence => {
    const records = ordinary(evidence)
    if (records.some(({ happened }) => happened.some(({ kind }) => kind === 'connect')))
      return holds('accepted')
    const refused = records
      .flatMap(({ happened }) => happened)
      .find(({ kind, payload }) => kind === 'connect_error' && payload !== undefined)
    return refused ? broken(shown(refused.payload)) : notShown('no connection')
  }),
  statement('5.5-1', 'the session stays open until disconnection', evidence => {
    const begun = ordinary(evidence).filter(started)
    if (begun.length === 0) return notShown('no session starts')
    const ended = begun.find(({ happened }) => happened.some(({ kind }) => kind === 'disconnect'))
    return either(!ended, ended ? `${ended.namespace} ended without a request` : `${begun.length} sessions`)
  }),
]

/** `replies` has the order of the same requests with a valid key: a path that fails with any key does not count. */
function allRefused({ languages, voices, batch }: Evidence, replies: readonly ServerReply[]): Verdict {
  const open = replies.find(({ status }) => status >= 200 && status < 300)
  if (open) return broken(`${open.asked} returns ${open.status}`)
  const withKey = [languages, voices.all, batch.stt]
  const met = replies.filter(({ status }, n) => status >= 400 && withKey[n]?.status !== status)
  if (met.length === 0) return notShown(replies.some(({ status }) => status > 0) ? 'no path' : 'no reply')
  return holds(met.map(({ status }) => status).join(', '))
}

function noneStarts(records: readonly SessionRecord[]): Verdict {
  const open = records.find(started)
  if (open) return broken(`${open.namespace} starts`)
  const met = records.some(({ happened }) => happened.some(({ payload }) => payload !== undefined))
  return met ? holds('rejected') : notShown('no connection')
}

/** Section 6: events. */
export const SECTION_6: readonly Statement[] = [
  statement('6-1', 'the order is connect, connected, start', evidence => {
    const orders = ordinary(evidence)
      .map(({ happened }) => happened.map(({ name }) => name))
      .filter(names => names.includes(EVENT.connected) && names.includes(EVENT.start))
    if (orders.length === 0) return notShown('no session starts')
    const wrong = orders.find(names => names.indexOf(EVENT.connected) > names.indexOf(EVENT.start))
    return either(!wrong, (wrong ?? orders[0] ?? []).slice(0, 3).join(', '))
  }),
  statement('6-2', 'streamed audio is available at the URL of start', ({ stream, sessions }) => {
    if (!stream) return notShown('no URL at the service’s own address')
    if (sessions.ttsStream.sent.length === 0) return notShown('no data could be sent')
    const mp3 = isVoice(stream.head) && mp3Frame(stream.head) !== undefined
    return either(stream.status === 200 && mp3, `HTTP ${stream.status}, ${stream.head.length} bytes`)
  }),
  statement('6-3', 'endSynth is sent on /tts and /sts', ({ sessions }) => {
    const { tts, ttsStreaming, sts, stsStreaming } = sessions
    const records = [tts, ttsStreaming, sts, stsStreaming].filter(hasResult)
    if (records.length === 0) return notShown('no result')
    const mute = records.find(record => events(record, EVENT.endSynth).length === 0)
    return either(!mute, mute ? `none on ${mute.namespace}` : `${records.length} sessions`)
  }),
  statement('6-4', 'endSynth is sent on no other namespace', evidence => {
    const records = ordinary(evidence, '/stt', '/translator').filter(hasResult)
    if (records.length === 0) return notShown('no result')
    const wrong = records.find(record => events(record, EVENT.endSynth).length > 0)
    return either(!wrong, wrong ? `on ${wrong.namespace}` : `${records.length} sessions`)
  }),
  statement('6-5', 'block: endSynth is received immediately after the result', ({ sessions }) =>
    inOrder([sessions.tts, sessions.sts], names => {
      // Other events can be received between two syntheses, but not within one.
      const last = names.lastIndexOf(EVENT.endSynth)
      return names
        .slice(0, last + 1)
        .every((name, n) => name !== EVENT.endSynth || names[n - 1] === EVENT.result)
    }),
  ),
  statement('6-6', 'streaming: endSynth is received immediately after the last result', ({ sessions }) =>
    inOrder([sessions.ttsStreaming, sessions.stsStreaming], (names, record) => {
      const ends = names.flatMap((name, n) => (name === EVENT.endSynth ? [n] : []))
      const after = ends.every(n => names[n - 1] === EVENT.result)
      // The endSynth of a text is its last event. Speech can continue after one.
      const trailing =
        record.namespace === '/tts' && names.lastIndexOf(EVENT.result) > names.lastIndexOf(EVENT.endSynth)
      return after && !trailing
    }),
  ),
  statement('6-7', 'error is sent for invalid session parameters', ({ sessions: { wrongSetup } }) => {
    if (started(wrongSetup)) return broken('an invalid language is accepted')
    const told = wrongSetup.happened.find(
      ({ kind, name, payload }) =>
        name === EVENT.error || (kind === 'connect_error' && payload !== undefined),
    )
    if (told) return holds(shown(told.payload))
    return wrongSetup.happened.some(({ kind }) => kind === 'connect')
      ? broken('no error is sent')
      : notShown('no connection')
  }),
  statement('6-8', 'error is sent for invalid data', ({ sessions: { hasty } }) => {
    const answered = ackOf(hasty, 2)
    if (answered < 0) return notShown('no acknowledgment of invalid audio')
    if (hasty.happened[answered]?.payload === true) return notShown('invalid audio is accepted')
    const told = hasty.happened.slice(startOf(hasty)).find(({ name }) => name === EVENT.error)
    return told ? holds(shown(told.payload)) : broken('invalid audio fails without an error')
  }),
  statement('6-9', 'connect_error is sent when the connection fails', ({ sessions: { wrongKey } }) => {
    const kinds = wrongKey.flatMap(({ happened }) => happened)
    const failed = kinds.find(({ kind, payload }) => kind === 'connect_error' && payload !== undefined)
    if (failed) return holds(shown(failed.payload))
    if (wrongKey.some(started)) return notShown('a wrong key is accepted')
    const ended = kinds.some(({ kind }) => kind === 'disconnect')
    const told = kinds.some(({ name }) => name === EVENT.error)
    if (told) return notShown('error is sent instead')
    return ended ? broken('a wrong key is disconnected without an error') : notShown('no connection')
  }),
  statement('6-10', 'disconnect has a reason', evidence => {
    const ends = [...ordinary(evidence), evidence.sessions.wrongSetup]
      .flatMap(({ happened }) => happened)
      .filter(({ kind }) => kind === 'disconnect')
    return ends[0] ? holds(ends[0].name) : notShown('the service ends no session')
  }),
]

function hasResult(record: SessionRecord): boolean {
  return events(record, EVENT.result).length > 0
}

function inOrder(
  records: readonly SessionRecord[],
  good: (names: string[], record: SessionRecord) => boolean,
): Verdict {
  const spoken = records.filter(record => hasResult(record) && events(record, EVENT.endSynth).length > 0)
  if (spoken.length === 0) return notShown('no result with endSynth')
  const wrong = spoken.find(record => !good(answers(record), record))
  const names = answers(wrong ?? spoken[0]!)
  return either(!wrong, `${(wrong ?? spoken[0]!).namespace}: ${names.slice(-6).join(', ')}`)
}

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
  statement('7-4', 'a file that cannot be processed causes an error', ({ batch: { garbage } }) => {
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
