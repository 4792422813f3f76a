import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandError } from './command-error.ts'

/** Checks before the work starts that `path` is writable. Throws a `CommandError` otherwise. */
export async function assertWritable(path: string): Promise<void> {
  const fail = (why: string): never => {
    throw new CommandError(`--output is "${path}": ${why}; choose a writable file`)
  }
  const found = await stat(path).catch(codeOf)
  if (typeof found !== 'string') {
    if (found.isDirectory()) fail('it is a folder')
    if (!(await may(path))) fail('the file is not writable')
    return
  }
  if (found !== 'ENOENT') fail(`it is not accessible (${found})`)
  const folder = dirname(path)
  const above = await stat(folder).catch(codeOf)
  if (typeof above === 'string') fail(`the folder "${folder}" does not exist`)
  else if (!above.isDirectory()) fail(`"${folder}" is not a folder`)
  else if (!(await may(folder))) fail(`the folder "${folder}" is not writable`)
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
