import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { BatchResult } from '../../contract.ts'
import type { JobParameters } from './job-parameters.ts'

/** Bytes serialized as numbers at a time. */
const PIECE_BYTES = 16 * 1024
const MP3 = 'audio/mpeg'

/** True if the request accepts the mp3 itself instead of JSON. */
export function wantsMp3(accept: string | undefined): boolean {
  return accept?.split(',').some(type => type.split(';')[0]?.trim().toLowerCase() === MP3) ?? false
}

/**
 * Sends `result`: only the bytes of the mp3 when the client accepts them and there are any, otherwise JSON. The JSON is
 * serialized while it is sent, because bytes written as numbers take several times the space.
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

/** Serializes a Buffer as `JSON.stringify` does. */
function* withBytes(head: string, bytes: Buffer): Generator<string> {
  yield `${head},"data":{"type":"Buffer","data":[`
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield `${at === 0 ? '' : ','}${bytes.subarray(at, at + PIECE_BYTES).join(',')}`
  yield ']}}}'
}
