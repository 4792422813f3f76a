import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../support/until.ts'
import { freePort, NOBODY, programOf } from './proxy.ts'

const run = promisify(execFile)
const PATIENCE_MS = 15_000

/**
 * nginx as the router of a fleet in containers, on loopback. Instead of name servers, it knows the ports of the nodes: there
 * are no containers here. The creator ends it.
 */
export class Router implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.#child = child
    this.port = port
    this.#folder = folder
  }

  /** `configuration` is a complete nginx.conf; `nodes` are the ports by name. */
  static async start(configuration: string, nodes: Readonly<Record<string, number>>): Promise<Router> {
    const folder = await mkdtemp(join(tmpdir(), 'dragoman-router-'))
    await chmod(folder, 0o777)
    const program = join(folder, 'nginx')
    await copyFile(programOf('nginx') ?? 'nginx', program)
    const port = await freePort()
    const places = Object.entries(nodes).map(([name, each]) => `${name} 127.0.0.1:${each};`)
    const servers = Object.values(nodes).map(each => `server 127.0.0.1:${each} max_fails=0;`)
    const text = configuration
      .replace(
        'http {',
        `daemon off;\nhttp {\nmap $node $place { ${places.join(' ')} }\nupstream any { ${servers.join(' ')} }`,
      )
      .replace(/resolver \S+/, 'resolver 127.0.0.1')
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replaceAll(/proxy_pass http:\/\/\$node\b[^;]*;/g, 'proxy_pass http://$place;')
      .replaceAll(/proxy_pass http:\/\/\$nodes[^;]*;/g, 'proxy_pass http://any;')
      .replaceAll('/tmp/', `${folder}/`)
    await writeFile(join(folder, 'nginx.conf'), text)
    const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
    await run(program, ['-t', '-q', ...args], { ...NOBODY, cwd: folder })
    const child = spawn(program, args, { ...NOBODY, cwd: folder, stdio: 'ignore' })
    let open = false
    const look = () => {
      const socket = connect(port, '127.0.0.1', () => {
        open = true
        socket.destroy()
      })
      socket.on('error', () => {})
      return open
    }
    await until(look, PATIENCE_MS, 'nginx listening')
    return new Router(child, port, folder)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}
