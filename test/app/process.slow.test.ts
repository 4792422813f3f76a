import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Deployment, type Instance, PATIENCE_MS, type Pair } from '../support/faults/served.ts'
import { pause, until } from '../support/until.ts'

const WHOLE = { lost: [], repeated: 0, late: 0, foreign: [] }

/** A process whose wall clock jumps at each SIGUSR2: 10 years forward, then a day back, each into another time zone. */
const JUMPING = `data:text/javascript,${encodeURIComponent(`
  const jumps = [[315360000000, 'Pacific/Apia'], [-86400000, 'America/St_Johns']]
  const RealDate = Date
  let offset = 0
  globalThis.Date = class extends RealDate {
    constructor(...parts) { parts.length ? super(...parts) : super(RealDate.now() + offset) }
    static now() { return RealDate.now() + offset }
  }
  process.on('SIGUSR2', () => {
    const [by, zone] = jumps.shift() ?? [0, 'UTC']
    offset = by
    process.env.TZ = zone
  })
`)}`

async function live({ address }: Instance): Promise<boolean> {
  return (await fetch(`${address}/live`)).ok
}

function limit({ command }: Instance, ...limits: string[]): void {
  execFileSync('prlimit', ['--pid', String(command.pid), ...limits])
}

/** Asserts that all speech was played exactly once. */
async function expectWhole(pair: Pair, last: number): Promise<void> {
  await pair.hears(last)
  expect(pair.count()).toEqual(WHOLE)
}

describe('the process', () => {
  test('no speech is lost when the wall clock jumps forward, back and into other time zones', async () => {
    await using all = await Deployment.open()
    const only = await all.start({ NODE_OPTIONS: `--import ${JUMPING}` })
    all.lead(only)
    const pair = await all.translated('a')
    const said = pair.say(150)
    for (let n = 0; n < 2; n++) {
      await pause(800)
      process.kill(only.command.pid, 'SIGUSR2')
    }
    const other = await all.translated('b')
    await Promise.all([said, other.say(50)])
    // Socket.IO's client takes a jump forward for a silent service, and reconnects once.
    await pair.hears(149)
    const { lost, repeated, foreign } = pair.count()
    expect([lost, foreign]).toEqual([[], []])
    expect(repeated * 20).toBeLessThanOrEqual(300)
    await expectWhole(other, 49)
  })

  test('SIGUSR1 opens no inspector', async () => {
    await using all = await Deployment.open()
    const only = await all.start()
    process.kill(only.command.pid, 'SIGUSR1')
    await pause(1_000)
    expect(await live(only)).toBe(true)
    expect(only.command.err).not.toContain('Debugger')
  })

  test('out of file descriptors: calls continue, and new ones are accepted as soon as there are some', async () => {
    await using all = await Deployment.open()
    const only = await all.start()
    all.lead(only)
    const pair = await all.translated('a')
    // A session opens when its speaker begins, and this one must be open by then.
    await pair.say(50)
    await pair.hears(40)
    const said = pair.say(200)
    limit(only, '--nofile=50:1024')
    const unauthenticated: Socket[] = []
    for (let n = 0; n < 60; n++) unauthenticated.push(connect(only.port, '127.0.0.1').on('error', () => {}))
    await pause(1_500)
    for (const stranger of unauthenticated) stranger.destroy()
    await said
    await expectWhole(pair, 249)
    limit(only, '--nofile=1024:1024')
    // New calls are rejected for a while.
    while (!(await fetch(`${only.address}/ready`)).ok) await pause(300)
    const other = await all.translated('b')
    await other.say(50)
    await expectWhole(other, 49)
  })

  test('the disk rejects a recording: the call continues', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dragoman-disk-'))
    try {
      await using all = await Deployment.open()
      const only = await all.start({
        DRAGOMAN_RECORDING_MODE: 'always',
        DRAGOMAN_RECORDING_FOLDER: folder,
      })
      all.lead(only)
      // Files of 64 KiB: 2 s of one voice.
      limit(only, '--fsize=65536:65536')
      const pair = await all.translated('a')
      // Until both have heard that they are recorded.
      await pause(4_000)
      await pair.say(250)
      await expectWhole(pair, 249)
      expect(await live(only)).toBe(true)
      await Promise.all([pair.speaker.hangUp(), pair.listener.hangUp()])
      const told = () => only.command.err.includes('recording incomplete: disk failed or too slow')
      await until(told, PATIENCE_MS, 'that the recording is marked as incomplete')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
