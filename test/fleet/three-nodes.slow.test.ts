import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { placeCall, type SimulatedCall } from '../../simulator/index.ts'
import { rms } from '../../src/transcode/level.ts'
import { LINE_RATE, sentence } from '../support/e2e/phones.ts'
import { NATS_SERVER } from '../support/fleet/nats-servers.ts'
import { until } from '../support/until.ts'

const SCRIPT = new URL('../../scripts/fleet.ts', import.meta.url).pathname
/** Processes with real engines, on any machine. */
const PATIENCE_MS = 30_000

/** `npm run fleet`, as npm starts it. */
class FleetCommand implements AsyncDisposable {
  out = ''
  readonly #child: ChildProcess

  constructor(...args: string[]) {
    this.#child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', chunk => {
        this.out += chunk
      })
  }

  async says(pattern: RegExp): Promise<readonly string[]> {
    await until(() => pattern.test(this.out) || this.#child.exitCode !== null, PATIENCE_MS, `${pattern}`)
    return pattern.exec(this.out) ?? expect.fail(this.out)
  }

  /** Sends Ctrl-C; resolves to the exit code. */
  async end(): Promise<number | null> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGINT')
      await ended
    }
    return this.#child.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
  }
}

/** Speaks a sentence, and hears its translation. */
async function translates(phone: SimulatedCall): Promise<void> {
  const before = phone.heard().length
  await phone.say(await sentence(4), LINE_RATE)
  const heardMs = () => {
    const heard = phone.heard().subarray(before)
    let ms = 0
    for (let at = 0; at + 160 <= heard.length; at += 160)
      if (rms(heard.subarray(at, at + 160)) > 300) ms += 20
    return ms
  }
  await until(() => heardMs() > 1_500, PATIENCE_MS, 'a translation')
}

test.skipIf(NATS_SERVER === undefined)(
  'npm run fleet starts three nodes that translate, and restarts one that was killed',
  async () => {
    await using fleet = new FleetCommand('--port', '0')
    const [, url = ''] = await fleet.says(/on the line at (http:\/\/localhost:\d+)/)
    await fleet.says(/Ctrl-C/)
    const nodes = Array.from(fleet.out.matchAll(/Node ([abc]) .*port (\d+), process (\d+)/g))
    expect(nodes.map(([, name]) => name)).toEqual(['a', 'b', 'c'])

    await using phone = await placeCall({
      webhook: `${url}/twilio/voice?speaks=en-us&hears=es-es`,
      allowInsecureStream: true,
    })
    await translates(phone)

    const [, key = ''] = fleet.out.match(/--key (\w{24,})/) ?? []
    const seen = await fetch(`${url}/v1/fleet`, { headers: { authorization: `Bearer ${key}` } })
    expect(await seen.json()).toMatchObject({ status: 'up', missing: [] })

    // Its home ends: the call continues at another node.
    const legsAt = async (port = '') => {
      const answer = await fetch(`http://127.0.0.1:${port}/health`)
      return ((await answer.json()) as { legs: number }).legs
    }
    const legs = await Promise.all(nodes.map(([, , port]) => legsAt(port)))
    const home = nodes[legs.indexOf(1)]
    expect(legs.toSorted()).toEqual([0, 0, 1])
    process.kill(Number(home?.[3]), 'SIGKILL')
    await fleet.says(/Node [abc] has ended/)
    await until(() => phone.report().streams.length === 2, PATIENCE_MS, 'a second stream')
    await translates(phone)
    await fleet.says(/Node [abc] runs again/)

    expect(await fleet.end()).toBe(0)
    await expect(fetch(`${url}/live`)).rejects.toThrow()
  },
)
