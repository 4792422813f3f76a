import { isLanguageId } from '../../common/language.ts'
import { EVENT } from '../../service/contract.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import type { Evidence, SessionRecord } from './evidence.ts'
import {
  audioOf,
  broken,
  either,
  events,
  field,
  holds,
  isVoice,
  listOf,
  mp3Frame,
  notShown,
  ordinary,
  type Statement,
  shown,
  started,
  statement,
  strings,
  type Verdict,
  wasRejected,
} from './statement.ts'

/** Matches strings that look like a language identifier, in upper or lower case. */
const LIKE_ID = /^[a-z]{2,3}[-_][a-z0-9]{2,3}$/i

/** Section 2: resources and their fields. */
export const SECTION_2: readonly Statement[] = [
  statement('2.1-1', 'language identifiers are <language>-<region> in lower case', ({ languages }) => {
    const ids = (listOf(languages) ?? []).flatMap(strings).filter(text => LIKE_ID.test(text))
    const wrong = ids.find(id => !isLanguageId(id))
    if (wrong) return broken(`${wrong} is in the list`)
    return ids.length > 0 ? holds(`${ids[0]} and others`) : notShown('no identifiers in the list')
  }),
  statement(
    '2.1-2',
    'the list contains the languages of transcription, translation and synthesis',
    evidence => {
      const ids = (listOf(evidence.languages) ?? []).flatMap(strings).map(id => id.toLowerCase())
      const used = [evidence.source, evidence.target].filter(id =>
        ordinary(evidence).some(record => started(record) && Object.values(record.query).includes(id)),
      )
      if (ids.length === 0 || used.length === 0) return notShown('no list, or no session')
      const missing = used.filter(id => !ids.includes(id) && !ids.includes(id.replace('-', '_')))
      return either(missing.length === 0, missing.length ? `${missing} is missing` : used.join(', '))
    },
  ),
  statement('2.2-1', 'the voice list contains the voices of a language', evidence => {
    const voices = listOf(evidence.voices.target)
    if (!voices) return notShown('no list')
    if (voices.length > 0) return holds(`${voices.length} for ${evidence.target}`)
    const speaks = ordinary(evidence, '/tts').some(record => isVoice(audioOf(record)))
    return speaks ? broken(`none for ${evidence.target}, which has speech`) : notShown('no voice at all')
  }),
  statement('2.2-2', 'a configuration without voices returns an empty list', ({ voices }) => {
    const wrong = voices.combinations.find(reply => reply.status !== 200)
    if (!listOf(voices.target)) return notShown('no list')
    if (wrong) return broken(`${wrong.asked} returns ${wrong.status}`)
    const empty = voices.combinations.filter(reply => listOf(reply)?.length === 0).length
    return empty > 0
      ? holds(`${empty} of ${voices.combinations.length} are empty`)
      : notShown('none is empty')
  }),
  statement('2.3-1', '/stt accepts languageIdSource and sendAudio', evidence => taken(evidence.sessions.stt)),
  statement('2.3-2', '/translator accepts languageIdSource and languageIdTarget', evidence =>
    taken(evidence.sessions.translator),
  ),
  statement('2.3-3', '/tts accepts receiveAudio', ({ sessions }) =>
    taken(sessions.tts, sessions.ttsStreaming),
  ),
  statement('2.3-4', '/sts accepts both languages, sendAudio and receiveAudio', ({ sessions }) =>
    taken(sessions.sts, sessions.stsStreaming),
  ),
  statement('2.3-5', 'sendAudio.codec is optional', ({ sessions }) =>
    wasRejected(sessions.stt) ? notShown('/stt is rejected anyway') : taken(sessions.hasty),
  ),
  statement('2.3-6', 'receiveAudio.mode can be block', evidence => mode(evidence, 'block')),
  statement('2.3-7', 'receiveAudio.mode can be streaming', evidence => mode(evidence, 'streaming')),
  statement('2.3-8', 'receiveAudio.codec mp3: the audio is mp3', evidence =>
    ofAudio(evidence, audio => either(mp3Frame(audio) !== undefined, `starts with ${hex(audio)}`)),
  ),
  statement('2.3-9', 'receiveAudio.sampleRate: the audio has that rate', evidence =>
    ofAudio(evidence, audio => {
      const frame = mp3Frame(audio)
      if (!frame) return notShown('the audio is not mp3')
      return either(frame.rate === SAMPLE_RATE, `${frame.rate} Hz, requested ${SAMPLE_RATE}`)
    }),
  ),
  statement('2.4-1', 'connected echoes the parameters of the connection', evidence => {
    const echoes = ordinary(evidence).flatMap(record =>
      events(record, EVENT.connected).map(({ payload }) => ({ record, payload })),
    )
    const wrong = echoes.find(({ record, payload }) => missing(record, payload).length > 0)
    if (wrong) return broken(`${missing(wrong.record, wrong.payload)} not in ${shown(wrong.payload)}`)
    return echoes.length > 0 ? holds(shown(echoes[0]?.payload)) : notShown('no connected')
  }),
  statement('2.4-2', 'start carries a boolean', evidence => {
    const plain = ordinary(evidence).filter(record => record !== evidence.sessions.ttsStream)
    const payloads = plain.flatMap(record => events(record, EVENT.start)).map(({ payload }) => payload)
    if (payloads.length === 0) return notShown('no start')
    const wrong = payloads.findIndex(payload => typeof payload !== 'boolean')
    return either(wrong < 0, shown(payloads[Math.max(0, wrong)]))
  }),
  statement('2.4-3', 'start carries a URL when streamed audio was requested', ({ sessions }) => {
    const [start] = events(sessions.ttsStream, EVENT.start)
    if (!start) return notShown('a session with obtainVia stream does not start')
    const url = typeof start.payload === 'string' && URL.canParse(start.payload, 'http://x')
    return either(url, url ? 'a URL' : shown(start.payload))
  }),
  statement('2.4-4', 'result carries an object', evidence => {
    const payloads = ordinary(evidence).flatMap(record => events(record, EVENT.result))
    if (payloads.length === 0) return notShown('no result')
    const wrong = payloads.find(({ payload }) => typeof payload !== 'object' || payload === null)
    return wrong ? broken(shown(wrong.payload)) : holds(shown(payloads[0]?.payload))
  }),
  statement('2.5-1', 'a batch request has mode stt and a mono 16 kHz 16-bit WAV as file', ({ batch }) => {
    const { status } = batch.stt
    if (status === 0 || status === 401 || status === 403) return notShown(`HTTP ${status}`)
    return either(status >= 200 && status < 300, `HTTP ${status} ${shown(batch.stt.body)}`)
  }),
]

/** Checks that the first session of `records` with a response was accepted. */
function taken(...records: SessionRecord[]): Verdict {
  const good = records.find(record => started(record) || events(record, EVENT.connected).length > 0)
  if (good) return holds('the session is accepted')
  const rejected = records.find(wasRejected)
  if (!rejected) return notShown('no connection')
  const why = rejected.happened.find(({ kind, name }) => kind === 'connect_error' || name === EVENT.error)
  if (why?.kind === 'connect_error') return notShown(`connect_error ${shown(why.payload)}`)
  return broken(shown(why?.payload))
}

function mode({ sessions }: Evidence, wanted: 'block' | 'streaming'): Verdict {
  const block = [sessions.tts, sessions.sts]
  const streaming = [sessions.ttsStreaming, sessions.stsStreaming]
  const others = wanted === 'block' ? streaming : block
  const own = wanted === 'block' ? block : streaming
  if (own.some(started)) return holds('the session is accepted')
  // If both are rejected, the cause is something else.
  if (!others.some(started)) return notShown('no session with audio starts')
  return own.some(wasRejected)
    ? broken('the session is rejected, the other mode is not')
    : notShown('no start')
}

function ofAudio(evidence: Evidence, judge: (audio: Uint8Array) => Verdict): Verdict {
  const audios = ordinary(evidence, '/tts', '/sts').map(audioOf).filter(isVoice)
  if (audios.length === 0) return notShown('no audio')
  const verdicts = audios.map(judge)
  return (
    verdicts.find(({ status }) => status === 'does not hold') ??
    verdicts.find(({ status }) => status === 'not shown') ??
    verdicts[0]!
  )
}

/** Returns the parameters that `connected` does not echo unchanged. */
function missing({ query, namespace }: SessionRecord, payload: unknown): string[] {
  return Object.entries(query).flatMap(([name, value]) => {
    // /tts can return the language under one name or both.
    if (namespace === '/tts' && name === 'languageIdSource') return []
    const echoed = field(payload, name)
    return echoed === value || within(parsed(value), typeof echoed === 'string' ? parsed(echoed) : echoed)
      ? []
      : [name]
  })
}

/** True if `whole` has every field of `part`, with the same value. */
function within(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole
  return Object.entries(part).every(([name, value]) => within(value, field(whole, name)))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, 4)).toString('hex')
}
