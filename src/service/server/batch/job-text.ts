import { ServiceError } from '../service-error.ts'
import type { JobForm } from './job-form.ts'
import type { JobParameters } from './job-parameters.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Returns the text of a job: the field `text`, or a UTF-8 file. Throws a `ServiceError`. */
export function jobText({ text, mode }: JobParameters, { file }: JobForm, maxTextLength: number): string {
  if (text !== undefined && file)
    throw new ServiceError('parameter_repeated', 'both text and file were sent, expected only one of them')
  if (text === undefined && !file)
    throw new ServiceError('file_missing', `${mode} requires text, in the field text or as a file`)
  const found = text ?? decoded(file ?? new Uint8Array(0))
  // Text never contains NUL; many binary files do.
  if (found === undefined || found.includes('\0'))
    throw new ServiceError('file_not_text', 'the file is not UTF-8 text')
  if (found.length > maxTextLength)
    throw new ServiceError(
      'text_too_long',
      `the text has ${found.length} characters, allowed are ${maxTextLength}`,
    )
  if (found.trim() === '') throw new ServiceError(file ? 'empty_file' : 'text_empty', 'the text is empty')
  return found
}

function decoded(file: Uint8Array): string | undefined {
  try {
    return decoder.decode(file)
  } catch {
    return undefined
  }
}
