import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pause, until } from '../until.ts'

const run = promisify(execFile)

/** Password of the ARI user `dragoman`. */
export const ARI_PASSWORD = 'a-password-of-ari'

/** Modules that need a network, hardware or settings of their own. */
const NOT_LOADED = [
  'chan_pjsip.so',
  'chan_iax2.so',
  'chan_dahdi.so',
  'res_pjsip.so',
  'cdr_csv.so',
  'pbx_dundi.so',
]

/** True if Asterisk is installed. */
export async function hasAsterisk(): Promise<boolean> {
  return run('asterisk', ['-V']).then(
    () => true,
    () => false,
  )
}

/** A real Asterisk on loopback, with its HTTP server at `port` and its own folder, without trunks. The caller of `start` disposes of it. */
export class RealAsterisk implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #folder: string

  private constructor(process: ChildProcess, folder: string) {
    this.#process = process
    this.#folder = folder
  }

  static async start(extensions: string, port: number): Promise<RealAsterisk> {
    const folder = await mkdtemp(join(tmpdir(), 'dragoman-asterisk-'))
    const folders = ['etc', 'run', 'spool', 'log', 'db', 'keys']
    for (const name of folders) await mkdir(join(folder, name))
    const files: Record<string, string> = {
      'asterisk.conf': [
        '[directories]',
        `astetcdir => ${folder}/etc`,
        `astrundir => ${folder}/run`,
        `astspooldir => ${folder}/spool`,
        `astlogdir => ${folder}/log`,
        `astdbdir => ${folder}/db`,
        `astkeydir => ${folder}/keys`,
      ].join('\n'),
      'modules.conf': `[modules]\nautoload = yes\n${NOT_LOADED.map(name => `noload = ${name}`).join('\n')}`,
      'logger.conf': '[general]\n[logfiles]\nfull => notice,warning,error\n',
      'http.conf': `[general]\nenabled = yes\nbindaddr = 127.0.0.1\nbindport = ${port}\n`,
      'ari.conf': `[general]\nenabled = yes\n[dragoman]\ntype = user\npassword = ${ARI_PASSWORD}\n`,
      'extensions.conf': extensions,
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'etc', name), text)
    const process = spawn('asterisk', ['-f', '-C', `${folder}/etc/asterisk.conf`], { stdio: 'ignore' })
    const asterisk = new RealAsterisk(process, folder)
    await asterisk.#ready()
    return asterisk
  }

  /** Sends a command to its console. */
  async command(text: string): Promise<string> {
    const { stdout } = await run('asterisk', ['-C', `${this.#folder}/etc/asterisk.conf`, '-rx', text])
    return stdout
  }

  /** Hangs up the phone that executes `application`. */
  async hangUp(application: string): Promise<void> {
    const channels = (await this.command('core show channels concise')).split('\n')
    const [name = ''] = channels.find(line => line.includes(`!${application}!`))?.split('!') ?? []
    await this.command(`channel request hangup ${name}`)
  }

  /** Waits until no call remains. */
  async idle(): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      if ((await this.command('core show channels count')).includes('0 active channels')) return
      await pause(100)
    }
    throw new Error('calls did not end within 10 s')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = new Promise(resolve => this.#process.once('exit', resolve))
    this.#process.kill('SIGTERM')
    await exited
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #ready(): Promise<void> {
    let answer = ''
    let asking = false
    const ask = () => {
      if (!asking) {
        asking = true
        void this.command('core waitfullybooted')
          .then(
            out => {
              answer = out
            },
            () => {},
          )
          .finally(() => {
            asking = false
          })
      }
      return answer.includes('fully booted')
    }
    await until(ask, 60_000, 'a booted Asterisk')
  }
}

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
