import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandError } from './command-error.ts'

/** Notices before the work what would only fail after it: throws a `CommandError` when `path` cannot be written. */
export async function assertWritable(path: string): Promise<void> {
  const fail = (why: string): never => {
    throw new CommandError(`--output is "${path}": ${why}; choose a file that can be written`)
  }
  const found = await stat(path).catch(codeOf)
  if (typeof found !== 'string') {
    if (found.isDirectory()) fail('that is a folder')
    if (!(await may(path))) fail('that file may not be changed')
    return
  }
  if (found !== 'ENOENT') fail(`that cannot be reached (${found})`)
  const folder = dirname(path)
  const above = await stat(folder).catch(codeOf)
  if (typeof above === 'string') fail(`there is no folder "${folder}"`)
  else if (!above.isDirectory()) fail(`"${folder}" is no folder`)
  else if (!(await may(folder))) fail(`nothing may be written into "${folder}"`)
}

function may(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

function codeOf(error: NodeJS.ErrnoException): string {
  return error.code ?? 'error'
}
