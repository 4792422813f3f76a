import { EVENT } from '../../service/contract.ts'
import { ackOf, answers, events, isVoice, mp3Frame, ordinary, shown, started, startOf } from './assertions.ts'
import type { SessionRecord } from './evidence.ts'
import { broken, either, holds, notShown, type Statement, statement, type Verdict } from './statement.ts'

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
  statement('6-2', 'streamed audio is picked up at the URL of start', ({ stream, sessions }) => {
    if (!stream) return notShown('no URL at the service’s own address')
    if (sessions.ttsStream.sent.length === 0) return notShown('nothing could be sent')
    const mp3 = isVoice(stream.head) && mp3Frame(stream.head) !== undefined
    return either(stream.status === 200 && mp3, `HTTP ${stream.status}, ${stream.head.length} bytes`)
  }),
  statement('6-3', 'endSynth comes on /tts and /sts', ({ sessions }) => {
    const { tts, ttsStreaming, sts, stsStreaming } = sessions
    const records = [tts, ttsStreaming, sts, stsStreaming].filter(hasResult)
    if (records.length === 0) return notShown('no result')
    const mute = records.find(record => events(record, EVENT.endSynth).length === 0)
    return either(!mute, mute ? `none on ${mute.namespace}` : `${records.length} sessions`)
  }),
  statement('6-4', 'endSynth comes on no other namespace', evidence => {
    const records = ordinary(evidence, '/stt', '/translator').filter(hasResult)
    if (records.length === 0) return notShown('no result')
    const wrong = records.find(record => events(record, EVENT.endSynth).length > 0)
    return either(!wrong, wrong ? `on ${wrong.namespace}` : `${records.length} sessions`)
  }),
  statement('6-5', 'block: endSynth is received immediately after the result', ({ sessions }) =>
    inOrder([sessions.tts, sessions.sts], names => {
      // Whatever is not the synthesis of a text may come between two of them, but not inside.
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
      // Text is answered whole: nothing comes behind its endSynth. Speech may go on.
      const trailing =
        record.namespace === '/tts' && names.lastIndexOf(EVENT.result) > names.lastIndexOf(EVENT.endSynth)
      return after && !trailing
    }),
  ),
  statement('6-7', 'error comes for a wrong setup of the mode of use', ({ sessions: { wrongSetup } }) => {
    if (started(wrongSetup)) return broken('a language that is none is let in')
    const told = wrongSetup.happened.find(
      ({ kind, name, payload }) =>
        name === EVENT.error || (kind === 'connect_error' && payload !== undefined),
    )
    if (told) return holds(shown(told.payload))
    return wrongSetup.happened.some(({ kind }) => kind === 'connect')
      ? broken('nothing is said')
      : notShown('no connection')
  }),
  statement('6-8', 'error comes for wrong data', ({ sessions: { hasty } }) => {
    const answered = ackOf(hasty, 2)
    if (answered < 0) return notShown('no acknowledgment of what is no audio')
    if (hasty.happened[answered]?.payload === true) return notShown('what is no audio is taken')
    const told = hasty.happened.slice(startOf(hasty)).find(({ name }) => name === EVENT.error)
    return told ? holds(shown(told.payload)) : broken('what is no audio fails without an error')
  }),
  statement('6-9', 'connect_error comes when the connection fails', ({ sessions: { wrongKey } }) => {
    const kinds = wrongKey.flatMap(({ happened }) => happened)
    const failed = kinds.find(({ kind, payload }) => kind === 'connect_error' && payload !== undefined)
    if (failed) return holds(shown(failed.payload))
    if (wrongKey.some(started)) return notShown('a wrong key is let in')
    const ended = kinds.some(({ kind }) => kind === 'disconnect')
    const told = kinds.some(({ name }) => name === EVENT.error)
    if (told) return notShown('error comes instead')
    return ended ? broken('a wrong key is disconnected without a word') : notShown('no connection')
  }),
  statement('6-10', 'disconnect comes with a reason', evidence => {
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
