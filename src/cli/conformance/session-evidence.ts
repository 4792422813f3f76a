import { pause } from '../../common/clock.ts'
import { socketAddress } from '../../service/client/service-address.ts'
import { EVENT, NAMESPACES, type Namespace } from '../../service/contract.ts'
import { bytesOf, SAMPLE_RATE } from '../../transcode/pcm.ts'
import type { Evidence, Probe, SessionRecord, Sessions } from './evidence.ts'
import { streamHead } from './http-evidence.ts'
import { RecordedSocket } from './recorded-socket.ts'
import { ackOf, started, startOf } from './statement.ts'

const WRONG_KEY = 'a-key-that-nobody-has'
/** Length of an audio fragment (ms). */
const FRAGMENT_MS = 60
const FRAGMENT = (SAMPLE_RATE * FRAGMENT_MS) / 1_000

/** Number of sessions opened at once: some might be set up too quickly to show the behavior. */
const HASTY = 3

const SEND = { broadcastVia: 'chunk', codec: 'linear16', sampleRate: SAMPLE_RATE }
const RECEIVE = { obtainVia: 'chunk', codec: 'mp3', sampleRate: SAMPLE_RATE, mode: 'block' }

type Query = Readonly<Record<string, string>>
type Use = (socket: RecordedSocket) => Promise<void>

/** Returns the query of a namespace according to section 2.3 of the document. */
export function queryOf(probe: Probe, namespace: Namespace, receive: object = {}): Query {
  const source = { languageIdSource: probe.source }
  const target = { languageIdTarget: probe.target }
  const sendAudio = JSON.stringify(SEND)
  const receiveAudio = JSON.stringify({ ...RECEIVE, ...receive })
  switch (namespace) {
    case '/stt':
      return { ...source, sendAudio }
    case '/translator':
      return { ...source, ...target }
    case '/tts':
      // The document does not specify which name: the text has the language of the voice.
      return { languageIdSource: probe.target, ...target, receiveAudio }
    case '/sts':
      return { ...source, ...target, sendAudio, receiveAudio }
  }
}

/** Gathers the evidence from sessions, mostly one after another, because a service can have a low session limit. */
export async function sessionEvidence(probe: Probe): Promise<Pick<Evidence, 'sessions' | 'stream'>> {
  const run = (namespace: Namespace, use: Use, receive?: object) =>
    session(probe, namespace, queryOf(probe, namespace, receive), use)
  const speech: Use = socket => speak(probe, socket)
  // A voice in pieces can take longer between two of them than a session is otherwise quiet at its end.
  const translated: Use = async socket => {
    await speak(probe, socket)
    if (socket.count(EVENT.result) > 0) await socket.comes(() => socket.count(EVENT.endSynth) > 0)
  }
  const spoken: Use = socket => write(probe, socket, probe.speech, EVENT.endSynth)
  let stream: Evidence['stream']
  const ttsStream = await run(
    '/tts',
    async socket => {
      const url = socket.record.happened.find(({ name }) => name === EVENT.start)?.payload
      const writing = write(probe, socket, probe.speech, EVENT.endSynth)
      stream = await streamHead(probe, url)
      await writing
    },
    { obtainVia: 'stream' },
  )
  const sessions: Sessions = {
    ttsStream,
    hasty: await hastiest(probe),
    stt: await run('/stt', speech),
    translator: await run('/translator', socket => write(probe, socket, probe.text, EVENT.result)),
    tts: await run('/tts', spoken),
    ttsStreaming: await run('/tts', spoken, { mode: 'streaming' }),
    sts: await run('/sts', translated),
    stsStreaming: await run('/sts', translated, { mode: 'streaming' }),
    wrongSetup: await session(probe, '/stt', { ...queryOf(probe, '/stt'), languageIdSource: 'no language' }),
    keyless: await everywhere(probe, NAMESPACES, undefined),
    // One of each kind is enough: services block an address after about ten of them.
    wrongKey: await everywhere(probe, ['/stt'], WRONG_KEY),
  }
  return { sessions, stream }
}

/** Returns true if the service accepts the key of `probe` for a connection. */
export async function admitted(probe: Probe): Promise<boolean> {
  const { happened } = await session(probe, '/stt', queryOf(probe, '/stt'))
  return happened.some(({ kind }) => kind === 'connect')
}

/** Runs one session; `use` is called after `start`. */
async function session(
  probe: Probe,
  namespace: Namespace,
  query: Query,
  use: Use = async () => {},
  more: { apiKey?: string | undefined; atConnect?: (socket: RecordedSocket) => void } = {},
): Promise<SessionRecord> {
  const { base, socketPath, apiKey, clock, patienceMs } = probe
  const address = socketAddress(base, namespace, socketPath)
  const socket = RecordedSocket.open({ address, namespace, query, apiKey, clock, patienceMs, ...more })
  try {
    if (await socket.started()) await use(socket)
    await socket.quiet(probe.quietMs)
  } finally {
    socket[Symbol.dispose]()
  }
  return socket.record
}

/** Opens a session on each namespace with this key, without sending. */
async function everywhere(
  probe: Probe,
  namespaces: readonly Namespace[],
  apiKey: string | undefined,
): Promise<SessionRecord[]> {
  const records: SessionRecord[] = []
  for (const namespace of namespaces)
    records.push(await session(probe, namespace, queryOf(probe, namespace), undefined, { apiKey }))
  return records
}

/** Opens several hasty sessions and returns the most conclusive one: preferably with an answer before `start`. */
async function hastiest(probe: Probe): Promise<SessionRecord> {
  const records = await Promise.all(Array.from({ length: HASTY }, () => hasty(probe)))
  const begun = records.filter(started)
  const answered = begun.filter(record => ackOf(record, 1) >= 0)
  const early = answered.find(record => ackOf(record, 1) < startOf(record))
  const refused = answered.find(record => record.happened[ackOf(record, 1)]?.payload === false)
  return early ?? refused ?? answered[0] ?? begun[0] ?? records[0]!
}

/** Sends immediately, and invalid audio later. */
function hasty(probe: Probe): Promise<SessionRecord> {
  const { codec: _left, ...sendAudio } = SEND
  const query = { ...queryOf(probe, '/stt'), sendAudio: JSON.stringify(sendAudio) }
  const atConnect = (socket: RecordedSocket) => {
    void socket.send(EVENT.writeStream, Buffer.from(bytesOf(probe.pcm.slice(0, FRAGMENT))))
  }
  const use: Use = async socket => {
    await socket.send(EVENT.writeStream, 'this is not audio')
  }
  return session(probe, '/stt', query, use, { atConnect })
}

async function speak(probe: Probe, socket: RecordedSocket): Promise<void> {
  const { pcm, pace, clock } = probe
  const begin = clock.now()
  for (let at = 0; at < pcm.length && !socket.over; at += FRAGMENT) {
    const due = pace > 0 ? begin + (at / SAMPLE_RATE / pace) * 1_000 : 0
    if (due > clock.now())
      await new Promise<void>(resolve => {
        clock.at(due, resolve)
      })
    if (!(await socket.send(EVENT.writeStream, Buffer.from(bytesOf(pcm.slice(at, at + FRAGMENT)))))) break
  }
  await socket.comes(() => socket.count(EVENT.result) > 0)
}

/** Sends two texts, the second after the first was answered: the session must stay open. */
async function write(probe: Probe, socket: RecordedSocket, text: string, answer: string): Promise<void> {
  for (const times of [1, 2]) {
    if (socket.over) return
    await socket.send(EVENT.text, text)
    await socket.comes(() => socket.count(answer) >= times)
    if (times === 1) await pause(probe.clock, probe.quietMs)
  }
}
