import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { type Query, shown } from '../query.ts'
import { ServiceError } from '../service-error.ts'
import { BATCH_PARAMETERS } from './job-parameters.ts'

/** Contents of a batch request. */
export interface JobForm {
  /** From the form and the query. */
  readonly fields: Query
  readonly file: Uint8Array | undefined
}

export interface FormLimits {
  readonly maxFileBytes: number
  /** Maximum field size (bytes). */
  readonly maxFieldBytes: number
}

const NAMES: readonly string[] = BATCH_PARAMETERS.map(({ name }) => name)
/** Allowance for the form around the file (bytes). */
const FORM_BYTES = 64 * 1024
const MOST_PARTS = 20

/** Reads the form into memory; writes no temporary files. Throws a `ServiceError`. */
export async function readForm(request: FastifyRequest, limits: FormLimits): Promise<JobForm> {
  try {
    return await read(request, limits)
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('form_malformed', (cause as Error).message, { cause })
  }
}

async function read(request: FastifyRequest, limits: FormLimits): Promise<JobForm> {
  const { maxFileBytes, maxFieldBytes } = limits
  if (!request.isMultipart())
    throw new ServiceError(
      'not_multipart',
      `the body is ${shown(request.headers['content-type'])}, allowed: multipart/form-data`,
    )
  if (Number(request.headers['content-length']) > maxFileBytes + maxFieldBytes + FORM_BYTES)
    throw tooLarge(maxFileBytes)
  const fields: Record<string, unknown> = Object.assign(Object.create(null), request.query)
  let file: Uint8Array | undefined
  const parts = request.parts({
    limits: { fileSize: maxFileBytes, fieldSize: maxFieldBytes, files: 2, parts: MOST_PARTS },
  })
  for await (const part of parts) {
    if (part.type === 'file') {
      if (part.fieldname !== 'file') throw unknownField(part.fieldname)
      if (file) throw new ServiceError('parameter_repeated', 'file was sent more than once, expected once')
      file = await wholeFile(part, maxFileBytes)
    } else {
      if (part.valueTruncated)
        throw new ServiceError(
          'text_too_long',
          `${shown(part.fieldname)} has more than ${maxFieldBytes} bytes`,
        )
      add(fields, part.fieldname, part.value)
    }
  }
  return { fields, file }
}

/** Adds a field. A repeated name becomes a list, as in a query. */
function add(fields: Record<string, unknown>, name: string, value: unknown): void {
  // The library treats a file part without a file name as a field.
  if (name === 'file')
    throw new ServiceError('file_missing', 'the part "file" has no file name, so it is not a file')
  if (!NAMES.includes(name)) throw unknownField(name)
  fields[name] = fields[name] === undefined ? value : [fields[name], value].flat()
}

async function wholeFile(part: MultipartFile, maxFileBytes: number): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  for await (const piece of part.file) pieces.push(piece as Buffer)
  if (part.file.truncated) throw tooLarge(maxFileBytes)
  return Buffer.concat(pieces)
}

function unknownField(name: string): ServiceError {
  return new ServiceError(
    'form_field_unknown',
    `the form has the field ${shown(name)}, allowed: file, ${NAMES.join(', ')}`,
  )
}

function tooLarge(maxFileBytes: number): ServiceError {
  return new ServiceError('too_large', `the file has more than ${maxFileBytes} bytes`)
}
