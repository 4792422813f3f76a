import { EVENT } from '../../service/contract.ts'
import type { ServerReply, SessionRecord } from './evidence.ts'
import {
  ackOf,
  audioOf,
  binaries,
  broken,
  either,
  entriesOf,
  events,
  field,
  fileData,
  holds,
  isVoice,
  listOf,
  mp3Frame,
  notShown,
  ordinary,
  type Statement,
  shown,
  started,
  startOf,
  statement,
  strings,
  unauthorized,
  type Verdict,
  wasRejected,
} from './statement.ts'

/** Section 3: states and transitions. */
export const SECTION_3: readonly Statement[] = [
  statement('3-1', 'a connection with a valid key gets connected', evidence => {
    const begun = ordinary(evidence).filter(started)
    if (begun.length === 0) return notShown('no session starts')
    const mute = begun.find(record => events(record, EVENT.connected).length === 0)
    return either(!mute, mute ? `none on ${mute.namespace}` : `${begun.length} sessions`)
  }),
  statement('3-2', 'start follows when the session is set up', evidence => {
    const connected = ordinary(evidence).filter(record => events(record, EVENT.connected).length > 0)
    const waiting = connected.filter(record => !wasRejected(record))
    if (waiting.length === 0) return notShown('no session gets connected')
    const mute = waiting.find(record => !started(record))
    return either(!mute, mute ? `none on ${mute.namespace}` : `${waiting.length} sessions`)
  }),
  statement('3-3', 'data before start is not processed', ({ sessions }) => {
    const { hasty } = sessions
    const ready = startOf(hasty)
    const before = hasty.happened.slice(0, ready < 0 ? undefined : ready)
    const early = before.find(({ name }) => name === EVENT.result || name === EVENT.endSynth)
    if (early) return broken(`${early.name} arrives before start`)
    const answered = ackOf(hasty, 1)
    const answer = hasty.happened[answered]?.payload
    if (answer === false) return holds('a fragment before start is rejected')
    if (answered >= 0 && answered < before.length)
      return broken(`a fragment before start is accepted: ${shown(answer)}`)
    if (before.some(({ name }) => name === EVENT.error)) return holds('a fragment before start is an error')
    if (ready < 0) return notShown('no session starts')
    return answered < 0
      ? notShown('a fragment before start gets no answer')
      : holds('start arrived before a fragment could be sent')
  }),
  statement('3-4', 'the websocket transport is enough, without upgrade', evidence => {
    const records = ordinary(evidence)
    if (records.some(({ happened }) => happened.some(({ kind }) => kind === 'connect')))
      return holds('connected')
    const failed = records.flatMap(({ happened }) => happened).find(({ kind }) => kind === 'connect_error')
    if (!failed || evidence.languages.status === 0) return notShown('no connection')
    return failed.payload === undefined
      ? broken(`no websocket: ${failed.name}`)
      : notShown(`rejected: ${shown(failed.payload)}`)
  }),
]

/** Section 4: endpoints, the connection and what the client sends. */
export const SECTION_4: readonly Statement[] = [
  statement('4.1-1', 'GET /api/languages returns JSON', ({ languages }) => answersJson(languages)),
  statement('4.2-1', 'GET /api/voices returns a JSON list', ({ voices }) => {
    const { status } = voices.all
    if (status === 0 || unauthorized(voices.all)) return notShown(`HTTP ${status}`)
    return either(listOf(voices.all) !== undefined, `HTTP ${status} ${shown(voices.all.body)}`)
  }),
  statement('4.2-2', 'language filters the voices', ({ voices, source, target }) => {
    const [all, of, other] = [entriesOf(voices.all), entriesOf(voices.target), entriesOf(voices.source)]
    if (!all || !of || !other) return notShown('no lists')
    if (of.size > 0 && same(of, other)) return broken(`${source} and ${target} have the same voices`)
    return of.size > 0 && of.size < all.size ? holds(`${of.size} of ${all.size}`) : notShown('too few voices')
  }),
  statement('4.2-3', 'mode filters the voices', ({ voices }) => narrows(voices.target, voices.block)),
  statement('4.2-4', 'voiceGender filters the voices', ({ voices }) =>
    parts(voices.target, voices.male, voices.female),
  ),
  statement('4.2-5', 'voiceEngine filters the voices', ({ voices }) =>
    parts(voices.target, voices.neural, voices.standard),
  ),
  statement('4.2-6', 'voiceEngine can be repeated to select several', ({ voices }) => {
    const [neural, standard] = [entriesOf(voices.neural), entriesOf(voices.standard)]
    if (!neural || !standard || neural.size + standard.size === 0) return notShown('no lists')
    if (same(neural, standard)) return notShown('the filter has no effect')
    for (const reply of [voices.both, voices.bothTurned]) {
      const both = entriesOf(reply)
      if (!both || !same(both, new Set([...neural, ...standard])))
        return broken(`${reply.asked} returns ${both ? `${both.size} voices` : reply.status}`)
    }
    return holds(`${neural.size} and ${standard.size} voices together`)
  }),
  statement('4.3-1', 'POST /api/batch/file returns a JSON object', ({ batch: { stt } }) => {
    if (stt.status < 200 || stt.status > 299) return notShown(`HTTP ${stt.status}`)
    const object = typeof stt.body === 'object' && stt.body !== null && !Array.isArray(stt.body)
    return either(object, shown(stt.body))
  }),
  statement('4.3-2', 'its response has only the fields of the mode', ({ batch: { stt } }) => {
    if (stt.status !== 200 || typeof stt.body !== 'object') return notShown(`HTTP ${stt.status}`)
    const foreign = ['file', 'translation'].filter(name => field(stt.body, name) !== undefined)
    return either(foreign.length === 0, foreign.length ? `stt returns ${foreign}` : shown(stt.body))
  }),
  statement('4.3-3', 'file.data of a response is mp3', ({ batch: { sts } }) => {
    const data = sts.status === 200 ? fileData(sts.body) : undefined
    if (!data) return notShown(`mode sts returns ${sts.status} without file.data`)
    return either(mp3Frame(data) !== undefined, `${data.length} bytes`)
  }),
  statement('4.4-1', '/stt transcribes', ({ sessions: { stt } }) => {
    const results = events(stt, EVENT.result)
    if (results.length === 0) return notShown('no result')
    const text = textsOf(stt).findLast(each => /\p{L}{2}/u.test(each))
    return either(text !== undefined, text ?? 'results without text')
  }),
  statement('4.4-2', '/translator translates', ({ sessions: { translator }, text }) => {
    if (events(translator, EVENT.result).length === 0) return notShown('no result')
    const other = textsOf(translator).find(each => plain(each) !== plain(text) && /\p{L}{2}/u.test(each))
    return either(other !== undefined, other ?? 'only the sent text')
  }),
  statement('4.4-3', '/tts synthesizes text', ({ sessions: { tts, ttsStreaming } }) =>
    makesAudio(tts, ttsStreaming),
  ),
  statement('4.4-4', '/sts transcribes, translates and synthesizes', ({ sessions }) => {
    const records = [sessions.sts, sessions.stsStreaming]
    const audio = makesAudio(...records)
    if (audio.status !== 'holds') return audio
    const texts = new Set(records.flatMap(textsOf).map(plain))
    return either(texts.size >= 2, `${[...texts].slice(0, 2).join(' → ')}, ${audio.found}`)
  }),
  statement('4.5-1', 'a result follows text', ({ sessions: { translator } }) =>
    follows(translator, EVENT.text),
  ),
  statement('4.5-2', 'write_stream is processed: a result follows', ({ sessions: { stt } }) =>
    follows(stt, EVENT.writeStream),
  ),
  statement('4.5-3', 'the acknowledgment of write_stream is a boolean', evidence => {
    const { stt, sts, stsStreaming } = evidence.sessions
    const records = [stt, sts, stsStreaming]
    const acks = records.flatMap(record => acksOf(record, EVENT.writeStream))
    const silent = records.some(({ sent, left }) => left && sent.length > 0) && acks.length === 0
    if (silent) return broken('none comes')
    if (acks.length === 0) return notShown('no data could be sent')
    const wrong = acks.find(answer => typeof answer !== 'boolean')
    return either(wrong === undefined, wrong === undefined ? `${acks.length} times` : shown(wrong))
  }),
  statement('4.5-4', 'a false acknowledgment means that the fragment failed', ({ sessions: { hasty } }) => {
    // The first was sent before start; the second is not audio.
    const answered = ackOf(hasty, 2)
    if (answered < 0) return notShown('no acknowledgment of invalid audio')
    const answer = hasty.happened[answered]?.payload
    return either(answer !== true, `invalid audio is acknowledged with ${shown(answer)}`)
  }),
  statement('4.5-5', 'text is acknowledged', evidence => {
    const records = ordinary(evidence, '/translator', '/tts')
    const sent = records.reduce((sum, record) => sum + record.sent.length, 0)
    const acks = records.reduce((sum, record) => sum + acksOf(record, EVENT.text).length, 0)
    if (sent === 0) return notShown('no data could be sent')
    return either(acks > 0, `${acks} of ${sent}`)
  }),
]

function answersJson(reply: ServerReply): Verdict {
  const { status, body } = reply
  if (status === 0 || unauthorized(reply)) return notShown(`HTTP ${status}`)
  return either(status === 200 && body !== undefined, `HTTP ${status} ${shown(body)}`)
}

/** Checks that a filter returns a subset of the voices. */
function narrows(all: ServerReply, filtered: ServerReply): Verdict {
  const [before, after] = [entriesOf(all), entriesOf(filtered)]
  if (!before) return notShown('no list')
  if (!after) return broken(`${filtered.asked} returns ${filtered.status}`)
  if (before.size === 0) return notShown('no voices')
  return either(
    [...after].every(each => before.has(each)),
    `${after.size} of ${before.size}`,
  )
}

/** Checks that two values of a filter return different voices. */
function parts(all: ServerReply, one: ServerReply, other: ServerReply): Verdict {
  const narrow = narrows(all, one)
  if (narrow.status !== 'holds') return narrow
  const [first, second] = [entriesOf(one), entriesOf(other)]
  if (first && second && first.size > 0 && same(first, second)) return broken('it has no effect')
  return narrow
}

function same(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every(each => b.has(each))
}

/** Returns the texts of the results that are words, not identifiers or numbers. */
function textsOf(record: SessionRecord): string[] {
  const given = Object.values(record.query)
  return events(record, EVENT.result)
    .flatMap(({ payload }) => strings(payload))
    .filter(text => text.trim() !== '' && !given.includes(text) && !/^(\d+|mp3)$/.test(text))
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function makesAudio(...records: SessionRecord[]): Verdict {
  const results = records.flatMap(record => events(record, EVENT.result))
  if (results.length === 0) return notShown('no result')
  const bytes = results
    .flatMap(({ payload }) => binaries(payload))
    .reduce((sum, { length }) => sum + length, 0)
  return either(
    records.some(record => isVoice(audioOf(record))),
    `${bytes} bytes`,
  )
}

function follows(record: SessionRecord, event: string): Verdict {
  if (!record.sent.includes(event)) return notShown('no data could be sent')
  const taken = acksOf(record, event).some(answer => answer !== false)
  const count = events(record, EVENT.result).length
  if (count === 0 && !taken) return notShown('the data was not accepted')
  return either(count > 0, `${count} results`)
}

function acksOf(record: SessionRecord, event: string): unknown[] {
  return record.happened
    .filter(({ kind, name }) => kind === 'ack' && name === event)
    .map(({ payload }) => payload)
}
