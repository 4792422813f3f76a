import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { SelfSigned } from '../../simulator/discord/voice/certificate.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const PROJECT = new URL('../../', import.meta.url).pathname
/** An unprivileged user, if the tests are run by root. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const PATIENCE_MS = 15_000

/** Path of a program, installed or unpacked by `scripts/setup.mjs`; undefined if it is neither. */
export function programOf(name: string): string | undefined {
  const folders = ['.programs/usr/sbin', '.programs/usr/bin'].map(folder => join(PROJECT, folder))
  return [...folders, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map(folder => join(folder, name))
    .find(path => existsSync(path))
}

export interface ProxyOptions {
  /** The public name. */
  readonly host: string
  readonly certificate: SelfSigned
  /** Port of the bridge; for a fleet behind nginx, those of the nodes a, b and c. */
  readonly upstream: number | readonly [number, number, number]
}

/** nginx or Caddy with the settings of deploy/ on loopback, as an unprivileged user. The creator ends it. */
export class RealProxy implements AsyncDisposable {
  readonly address: string
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #host: string
  #said = ''

  private constructor(child: ChildProcess, folder: string, port: number, host: string) {
    this.#host = host
    this.#child = child
    this.#folder = folder
    this.address = `https://127.0.0.1:${port}`
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', chunk => {
        this.#said += chunk
      })
  }

  static async start(
    kind: 'nginx' | 'caddy',
    { host, certificate, upstream }: ProxyOptions,
  ): Promise<RealProxy> {
    const folder = await mkdtemp(join(tmpdir(), `dragoman-${kind}-`))
    await chmod(folder, 0o777)
    // The project's folder can be closed to others.
    const program = join(folder, kind)
    await copyFile(programOf(kind) ?? kind, program)
    await chmod(program, 0o755)
    await mkdir(join(folder, 'state'))
    await chmod(join(folder, 'state'), 0o777)
    await writeFile(join(folder, 'cert.pem'), certificate.certificate)
    await writeFile(join(folder, 'key.pem'), certificate.key)
    const [port, plain] = [await freePort(), await freePort()]
    const { args, check, env } = await (kind === 'nginx' ? nginx : caddy)(folder, {
      host,
      port,
      plain,
      upstream,
    })
    const options = { ...NOBODY, cwd: folder, env: { ...env, HOME: folder, PATH: process.env.PATH } }
    await run(program, check, options)
    const proxy = new RealProxy(
      spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }),
      folder,
      port,
      host,
    )
    await until(() => proxy.#listening(port), PATIENCE_MS, `${kind} listening`)
    return proxy
  }

  /** Reloads its settings; open connections stay, as far as it can. */
  reload(): void {
    this.#child.kill('SIGHUP')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise(resolve => this.#child.once('exit', resolve))
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM')
      await ended
    }
    await rm(this.#folder, { recursive: true, force: true })
  }

  #open = false
  #asked = false
  #listening(port: number): boolean {
    if (this.#child.exitCode !== null) throw new Error(`the proxy has ended: ${this.#said}`)
    if (!this.#asked) {
      this.#asked = true
      const asked = request(
        { port, host: '127.0.0.1', servername: this.#host, rejectUnauthorized: false, agent: false },
        answer => {
          answer.resume()
          this.#open = true
        },
      )
      asked.on('error', () => {
        this.#asked = false
      })
      asked.end()
    }
    return this.#open
  }
}

interface Places {
  readonly host: string
  readonly port: number
  readonly plain: number
  readonly upstream: ProxyOptions['upstream']
}
interface Start {
  readonly args: string[]
  /** The same, only to check the settings. */
  readonly check: string[]
  readonly env: Record<string, string>
}

/** Its site from deploy/, with other ports and certificates, inside a main file like Debian's nginx.conf. */
async function nginx(folder: string, { port, plain, upstream }: Places): Promise<Start> {
  const nodes = typeof upstream === 'number' ? [] : upstream
  const name = nodes.length > 0 ? 'dragoman-fleet.conf' : 'dragoman.conf'
  const site = (await readFile(join(PROJECT, 'deploy/nginx', name), 'utf8'))
    .replace(/^\s*listen \[::\].*\n/gm, '')
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${upstream};`)
    .replaceAll(/10\.0\.0\.(\d):8080/g, (_, number) => `127.0.0.1:${nodes[Number(number) - 1]}`)
    .replace(/\/etc\/letsencrypt\S*fullchain\.pem/, join(folder, 'cert.pem'))
    .replace(/\/etc\/letsencrypt\S*privkey\.pem/, join(folder, 'key.pem'))
  await writeFile(join(folder, 'site.conf'), site)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `  ${name}_temp_path ${folder}/state/${name};`)
    .join('\n')
  const main = `daemon off;\nworker_processes 1;\npid ${folder}/state/pid;\nerror_log stderr warn;\nevents {}\nhttp {\n${places}\n  access_log off;\n  include ${folder}/site.conf;\n}\n`
  await writeFile(join(folder, 'nginx.conf'), main)
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  return { args, check: ['-t', '-q', ...args], env: {} }
}

async function caddy(folder: string, { host, port, upstream }: Places): Promise<Start> {
  const site = (await readFile(join(PROJECT, 'deploy/caddy/Caddyfile'), 'utf8')).replace(
    /^(\{\$BRIDGE_DOMAIN.*\{)$/m,
    `{\n\tadmin off\n\tauto_https disable_redirects\n}\n$1\n\tbind 127.0.0.1\n\ttls ${folder}/cert.pem ${folder}/key.pem`,
  )
  const file = join(folder, 'Caddyfile')
  await writeFile(file, site)
  const env = {
    BRIDGE_DOMAIN: `https://${host}:${port}`,
    BRIDGE_UPSTREAM: `127.0.0.1:${upstream}`,
    XDG_DATA_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'state'),
  }
  const settings = ['--config', file, '--adapter', 'caddyfile']
  return { args: ['run', ...settings], check: ['validate', ...settings], env }
}

export function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
