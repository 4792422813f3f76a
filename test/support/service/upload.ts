import { KEY } from './fake-service.ts'

/** A form's fields; a file is bytes or text. */
export type Fields = Readonly<Record<string, string | Uint8Array>>

/** Posts a form to the batch route of the service at `url`. */
export function upload(
  url: string,
  fields: Fields,
  { query = '', accept = '*/*', signal }: { query?: string; accept?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (name === 'file') form.set(name, new Blob([value as Uint8Array<ArrayBuffer>]), 'a.file')
    else form.set(name, value as string)
  return fetch(`${url}/api/batch/file${query}`, {
    method: 'POST',
    body: form,
    headers: { 'x-api-key': KEY, accept },
    ...(signal ? { signal } : {}),
  })
}
