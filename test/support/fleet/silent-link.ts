import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** More connections than the system queues for the stopped process. */
const FILLERS = 100
/** Time for the queue to fill (ms). */
const FILL_MS = 100

/**
 * A way to a server on loopback that can be cut without a trace: everything sent in either direction disappears, new
 * connections get no answer, and no one gets a reset. The creator disposes of it.
 */
export class SilentLink implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess
  #fillers: Socket[] = []

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /** Opens a way to `target`, a port; it can be set later with `leadTo`. */
  static async open(target = 0): Promise<SilentLink> {
    const child = fork(new URL('link-process.ts', import.meta.url), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    const link = new SilentLink(child, port)
    link.leadTo(target)
    return link
  }

  /** New connections lead to this port. */
  leadTo(target: number): void {
    this.#child.send({ target })
  }

  /** Cuts the way. Resolves when connections are no longer accepted either. */
  async cut(): Promise<void> {
    this.#child.kill('SIGSTOP')
    this.#fillers = Array.from({ length: FILLERS }, () =>
      connect(this.port, '127.0.0.1').on('error', () => {}),
    )
    await new Promise(resolve => setTimeout(resolve, FILL_MS))
  }

  /** Restores it: what was sent meanwhile arrives late. */
  restore(): void {
    for (const filler of this.#fillers) filler.destroy()
    this.#child.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.restore()
    this.#child.kill('SIGKILL')
    await ended
  }
}
