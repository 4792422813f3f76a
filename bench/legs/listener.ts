import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** State of a listening socket in /proc/net/tcp. */
const LISTENS = '0A'

/** Inode of the socket that listens on `port`, in the text of /proc/net/tcp or tcp6; undefined if there is none. */
function inodeOf(port: number, table: string): string | undefined {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  for (const line of table.split('\n')) {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    if (state === LISTENS && local.endsWith(`:${wanted}`)) return inode
  }
  return undefined
}

/**
 * The process that listens on `port`: `pid` itself, or a descendant if the start command runs the program as another
 * process. Linux only. Throws if none does.
 */
export function listenerOf(port: number, pid: number): number {
  const inode = ['tcp', 'tcp6']
    .map(name => inodeOf(port, readFileSync(`/proc/net/${name}`, 'latin1')))
    .find(found => found !== undefined)
  const found = inode && family(pid).find(each => holds(each, inode))
  if (!found) throw new Error(`process ${pid} does not listen on port ${port}`)
  return found
}

/** `pid` and its descendants. */
export function family(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap(task =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1')
        .split(' ')
        .filter(text => text !== '')
        .map(Number),
    )
    return [pid, ...children.flatMap(family)]
  } catch {
    // It has ended.
    return []
  }
}

function holds(pid: number, inode: string): boolean {
  return readdirSync(`/proc/${pid}/fd`).some(descriptor => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`) === `socket:[${inode}]`
    } catch {
      // Closed in the meantime.
      return false
    }
  })
}
