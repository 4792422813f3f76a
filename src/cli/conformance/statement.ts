import { replyBytes } from '../../service/client/audio-value.ts'
import { EVENT } from '../../service/contract.ts'
import { type Mp3Header, mp3HeaderAt } from '../../transcode/mp3/header.ts'
import type { Evidence, Happening, ServerReply, SessionRecord } from './evidence.ts'

/** `not shown`: the service never reached a state in which the statement can be observed. */
export type Status = 'holds' | 'does not hold' | 'not shown'

export interface Verdict {
  readonly status: Status
  /** Short description of the observation. */
  readonly found: string
}

/** A statement of the interface document, and how to check it from outside. */
export interface Statement {
  /** Section of the document and a number, like `4.2-3`. */
  readonly id: string
  readonly text: string
  /** Uses only the evidence; returns `does not hold` only for an actual observation. */
  readonly judge: (evidence: Evidence) => Verdict
}

export function statement(id: string, text: string, judge: Statement['judge']): Statement {
  return { id, text, judge }
}

export function holds(found: string): Verdict {
  return { status: 'holds', found }
}

export function broken(found: string): Verdict {
  return { status: 'does not hold', found }
}

export function notShown(found: string): Verdict {
  return { status: 'not shown', found }
}

/** Returns `holds` if `good`, else `does not hold`, with `found`. */
export function either(good: boolean, found: string): Verdict {
  return good ? holds(found) : broken(found)
}

/** Number of leading bytes that are searched for the first mp3 frame. */
const MP3_SEARCH_BYTES = 4_096
/** Minimum size of audio that counts as a voice (bytes). */
const LEAST_BYTES = 100

/** Returns the service’s events with this name. */
export function events(record: SessionRecord, name: string): Happening[] {
  return record.happened.filter(each => each.kind === 'event' && each.name === name)
}

export function started(record: SessionRecord): boolean {
  return events(record, EVENT.start).length > 0
}

/** True if the service itself rejected the session before it was ready: an `error`, or a `connect_error` with data. */
export function wasRejected(record: SessionRecord): boolean {
  if (started(record)) return false
  return record.happened.some(
    ({ kind, name, payload }) =>
      (kind === 'connect_error' && payload !== undefined) || (kind === 'event' && name === EVENT.error),
  )
}

/** Returns the names of the events after `start`, without acknowledgments. */
export function answers(record: SessionRecord): string[] {
  const names = record.happened.filter(({ kind }) => kind === 'event').map(({ name }) => name)
  return names.slice(names.indexOf(EVENT.start) + 1)
}

/** Returns the index of the acknowledgment of message number `sent` in `happened`, or -1. */
export function ackOf({ happened }: SessionRecord, sent: number): number {
  return happened.findIndex(each => each.kind === 'ack' && each.sent === sent)
}

/** Returns the index of `start` in `happened`, or -1. */
export function startOf({ happened }: SessionRecord): number {
  return happened.findIndex(({ kind, name }) => kind === 'event' && name === EVENT.start)
}

/** Returns the sessions that were expected to succeed, of these namespaces or of all. */
export function ordinary({ sessions }: Evidence, ...namespaces: string[]): SessionRecord[] {
  const { stt, hasty, translator, tts, ttsStreaming, ttsStream, sts, stsStreaming } = sessions
  return [stt, hasty, translator, tts, ttsStreaming, ttsStream, sts, stsStreaming].filter(
    ({ namespace }) => namespaces.length === 0 || namespaces.includes(namespace),
  )
}

/** Returns every string inside `payload`. */
export function strings(payload: unknown): string[] {
  if (typeof payload === 'string') return [payload]
  if (typeof payload !== 'object' || payload === null || payload instanceof Uint8Array) return []
  return Object.values(payload).flatMap(strings)
}

/** Returns all binary data inside `payload`. */
export function binaries(payload: unknown): Uint8Array[] {
  if (payload instanceof ArrayBuffer) return [new Uint8Array(payload)]
  if (payload instanceof Uint8Array) return [payload]
  if (typeof payload !== 'object' || payload === null) return []
  return Object.values(payload).flatMap(binaries)
}

/** Returns the binary data that JSON carries at `file.data`, in any form. */
export function fileData(payload: unknown): Uint8Array | undefined {
  const file = field(payload, 'file')
  return replyBytes(field(file, 'data')) ?? replyBytes(file)
}

export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Record<string, unknown>)[name]
}

/** Returns all audio of a session, concatenated. */
export function audioOf(record: SessionRecord): Uint8Array {
  return Buffer.concat(events(record, EVENT.result).flatMap(({ payload }) => binaries(payload)))
}

/** True if there is enough audio to be a voice. */
export function isVoice(bytes: Uint8Array): boolean {
  return bytes.length >= LEAST_BYTES
}

/** Returns the header of the first mp3 frame; undefined if `bytes` is not an mp3. */
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

/** Returns the list in a response: the body itself, or the only value of an object. */
export function listOf({ status, body }: ServerReply): unknown[] | undefined {
  if (status !== 200) return undefined
  if (Array.isArray(body)) return body
  if (typeof body !== 'object' || body === null) return undefined
  const values: unknown[] = Object.values(body)
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : undefined
}

/** Returns the entries as JSON, so that lists can be compared. */
export function entriesOf(reply: ServerReply): Set<string> | undefined {
  const list = listOf(reply)
  return list && new Set(list.map(entry => JSON.stringify(entry)))
}

/** True if the service rejected the key. */
export function unauthorized({ status }: ServerReply): boolean {
  return status === 401 || status === 403
}

/** Returns the fields of an error object that are missing or not strings. */
export function errorFaults(body: unknown): string[] {
  return ['code', 'error', 'description'].filter(name => {
    const value = field(body, name)
    return typeof value !== 'string' || value === ''
  })
}

/** Returns a short description of a payload. */
export function shown(payload: unknown): string {
  if (payload === undefined) return 'nothing'
  const text = JSON.stringify(payload, (_key, value: unknown) =>
    value instanceof Uint8Array || value instanceof ArrayBuffer ? `<${value.byteLength} bytes>` : value,
  )
  const plain = (text ?? typeof payload).replace(/\p{C}+/gu, ' ')
  return plain.length > 90 ? `${plain.slice(0, 90)}…` : plain
}
