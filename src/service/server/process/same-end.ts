import type { ChildProcess } from 'node:child_process'

/** Processes that must not outlive this one. */
const children = new Set<ChildProcess>()

/** Ends `child` when this process ends, by `process.exit` or by a crash. */
export function endsWithUs(child: ChildProcess): void {
  if (children.size === 0) process.once('exit', endAll)
  children.add(child)
  child.once('exit', () => {
    children.delete(child)
    if (children.size === 0) process.off('exit', endAll)
  })
}

function endAll(): void {
  for (const child of children) child.kill('SIGKILL')
}
