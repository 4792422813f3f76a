import { replyBytes } from '../../service/client/audio-value.ts'
import { EVENT } from '../../service/contract.ts'
import { type Mp3Header, mp3HeaderAt } from '../../transcode/mp3/header.ts'
import type { Evidence, Happening, Reply, SessionRecord } from './evidence.ts'

/** Bytes at the beginning in which the first mp3 frame is looked for. */
const MP3_SEARCH_BYTES = 4_096
/** Less than this is no voice. */
const LEAST_BYTES = 100

/** Events of the service by this name. */
export function events(record: SessionRecord, name: string): Happening[] {
  return record.happened.filter(each => each.kind === 'event' && each.name === name)
}

export function started(record: SessionRecord): boolean {
  return events(record, EVENT.start).length > 0
}

/** Whether the service itself turned the session away before it was ready: an `error`, or a `connect_error` with data. */
export function turnedAway(record: SessionRecord): boolean {
  if (started(record)) return false
  return record.happened.some(
    ({ kind, name, payload }) =>
      (kind === 'connect_error' && payload !== undefined) || (kind === 'event' && name === EVENT.error),
  )
}

/** Names of the events after `start`, acknowledgments left out. */
export function answers(record: SessionRecord): string[] {
  const names = record.happened.filter(({ kind }) => kind === 'event').map(({ name }) => name)
  return names.slice(names.indexOf(EVENT.start) + 1)
}

/** Where the answer to what was sent as number `sent` stands among all that happened; -1 without one. */
export function ackOf({ happened }: SessionRecord, sent: number): number {
  return happened.findIndex(each => each.kind === 'ack' && each.sent === sent)
}

/** Where `start` stands among all that happened; -1 without one. */
export function startOf({ happened }: SessionRecord): number {
  return happened.findIndex(({ kind, name }) => kind === 'event' && name === EVENT.start)
}

/** The sessions that were to succeed, of some namespaces or of all. */
export function ordinary({ sessions }: Evidence, ...namespaces: string[]): SessionRecord[] {
  const { stt, hasty, translator, tts, ttsStreaming, ttsStream, sts, stsStreaming } = sessions
  return [stt, hasty, translator, tts, ttsStreaming, ttsStream, sts, stsStreaming].filter(
    ({ namespace }) => namespaces.length === 0 || namespaces.includes(namespace),
  )
}

/** Every string inside `payload`. */
export function strings(payload: unknown): string[] {
  if (typeof payload === 'string') return [payload]
  if (typeof payload !== 'object' || payload === null || payload instanceof Uint8Array) return []
  return Object.values(payload).flatMap(strings)
}

/** All binary inside `payload`. */
export function binaries(payload: unknown): Uint8Array[] {
  if (payload instanceof ArrayBuffer) return [new Uint8Array(payload)]
  if (payload instanceof Uint8Array) return [payload]
  if (typeof payload !== 'object' || payload === null) return []
  return Object.values(payload).flatMap(binaries)
}

/** Binary that JSON carries at `file.data`, in whatever form. */
export function fileData(payload: unknown): Uint8Array | undefined {
  const file = field(payload, 'file')
  return replyBytes(field(file, 'data')) ?? replyBytes(file)
}

export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Record<string, unknown>)[name]
}

/** All audio of a session, joined. */
export function audioOf(record: SessionRecord): Uint8Array {
  return Buffer.concat(events(record, EVENT.result).flatMap(({ payload }) => binaries(payload)))
}

/** Whether there is enough of it to be a voice. */
export function isVoice(bytes: Uint8Array): boolean {
  return bytes.length >= LEAST_BYTES
}

/** The first frame of an mp3; undefined when it is none. */
export function mp3Frame(bytes: Uint8Array): Mp3Header | undefined {
  const tagged = Buffer.from(bytes.subarray(0, 3)).toString('latin1') === 'ID3'
  const most = tagged ? bytes.length : Math.min(bytes.length, MP3_SEARCH_BYTES)
  for (let at = 0; at < most; at++) {
    const header = mp3HeaderAt(bytes, at)
    const next = header && mp3HeaderAt(bytes, at + header.bytes)
    if (header && next?.rate === header.rate) return header
  }
  return undefined
}

/** A list, bare or in an object under a name. */
export function listOf({ status, body }: Reply): unknown[] | undefined {
  if (status !== 200) return undefined
  if (Array.isArray(body)) return body
  if (typeof body !== 'object' || body === null) return undefined
  const values: unknown[] = Object.values(body)
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : undefined
}

/** Entries as text, so that lists can be compared. */
export function entriesOf(reply: Reply): Set<string> | undefined {
  const list = listOf(reply)
  return list && new Set(list.map(entry => JSON.stringify(entry)))
}

/** Whether the service said no to the key. */
export function unauthorized({ status }: Reply): boolean {
  return status === 401 || status === 403
}

/** Fields of an error object that are missing or no text. */
export function errorFaults(body: unknown): string[] {
  return ['code', 'error', 'description'].filter(name => {
    const value = field(body, name)
    return typeof value !== 'string' || value === ''
  })
}

/** A payload in a few words. */
export function shown(payload: unknown): string {
  if (payload === undefined) return 'nothing'
  const text = JSON.stringify(payload, (_key, value: unknown) =>
    value instanceof Uint8Array || value instanceof ArrayBuffer ? `<${value.byteLength} bytes>` : value,
  )
  const plain = (text ?? typeof payload).replace(/\p{C}+/gu, ' ')
  return plain.length > 90 ? `${plain.slice(0, 90)}…` : plain
}
