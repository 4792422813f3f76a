import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { BatchResult } from '../../contract.ts'
import type { JobParameters } from './job-parameters.ts'

/** Bytes written as numbers at a time. */
const PIECE_BYTES = 16 * 1024
const MP3 = 'audio/mpeg'

/** Whether a request asks for the mp3 itself rather than for JSON. */
export function wantsMp3(accept: string | undefined): boolean {
  return accept?.split(',').some(type => type.split(';')[0]?.trim().toLowerCase() === MP3) ?? false
}

/**
 * Answers with `result`: the bytes of the mp3 alone when the client asked for them and there are some, else JSON. The
 * bytes in JSON are written as they are sent, since as numbers they are several times as large.
 */
export function sendResult(
  reply: FastifyReply,
  result: BatchResult,
  { dataEncoding }: Pick<JobParameters, 'dataEncoding'>,
  mp3: boolean,
): FastifyReply {
  const { file, ...fields } = result
  if (!file) return reply.send(fields)
  const bytes = Buffer.from(file.data.buffer, file.data.byteOffset, file.data.byteLength)
  if (mp3) return reply.type(MP3).send(bytes)
  const described = { codec: file.codec, sampleRate: file.sampleRate }
  if (dataEncoding === 'base64')
    return reply.send({
      ...fields,
      file: { ...described, encoding: 'base64', data: bytes.toString('base64') },
    })
  const head = JSON.stringify({ ...fields, file: described }).slice(0, -2)
  return reply.type('application/json; charset=utf-8').send(Readable.from(withBytes(head, bytes)))
}

/** As `JSON.stringify` writes a Buffer. */
function* withBytes(head: string, bytes: Buffer): Generator<string> {
  yield `${head},"data":{"type":"Buffer","data":[`
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield `${at === 0 ? '' : ','}${bytes.subarray(at, at + PIECE_BYTES).join(',')}`
  yield ']}}}'
}
