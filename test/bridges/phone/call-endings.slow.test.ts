import { expect, test } from 'vitest'
import { systemClock } from '../../../src/common/clock.ts'
import { Deployment, type Instance, PATIENCE_MS, type Pair } from '../../support/faults/served.ts'
import { pause } from '../../support/until.ts'

/** Twilio's request, a new stream, playout lead: the cost of a resumption without waiting (ms). */
const RESUMED_MS = 2_000

/** Readiness as a load balancer sees it. */
async function ready({ address }: Instance) {
  const answer = await fetch(`${address}/ready`)
  const { status } = (await answer.json()) as { status: string }
  return { code: answer.status, status }
}

/** Waits until readiness reports draining. */
async function drains(instance: Instance): Promise<void> {
  let looks = await ready(instance)
  while (looks.code === 200) looks = await ready(instance)
  expect(looks).toEqual({ code: 503, status: 'draining' })
}

test('SIGTERM without calls ends the process at once', async () => {
  await using all = await Deployment.open()
  const only = await all.start()
  expect((await fetch(`${only.address}/live`)).status).toBe(200)
  expect((await fetch(`${only.address}/ready`)).status).toBe(200)
  const asked = systemClock.now()
  expect(await only.command.end('SIGTERM')).toBe(0)
  expect(systemClock.now() - asked).toBeLessThan(PATIENCE_MS / 3)
})

test('SIGTERM with calls: rejects new calls, and current ones continue to their end', async () => {
  await using all = await Deployment.open()
  const only = await all.start()
  all.lead(only)
  const pairs = await Promise.all(['a', 'b', 'c'].map(room => all.translated(room)))
  const said = pairs.map(pair => pair.say(120))
  await pause(1_000)
  const asked = systemClock.now()
  const ended = only.command.end('SIGTERM')
  await drains(only)
  const closedMs = systemClock.now() - asked
  // 100 ms, and a tolerance for a signal and a request on a busy machine.
  expect(closedMs).toBeLessThan(1_000)
  expect((await fetch(`${only.address}/live`)).status).toBe(200)
  const newcomer = await all.call('a')
  await newcomer.ended
  expect(newcomer.report().said).toEqual([expect.stringMatching(/line/i)])
  await Promise.all(said)
  await Promise.all(pairs.map(pair => pair.hears(119)))
  for (const pair of pairs) {
    expect(pair.count()).toMatchObject({ lost: [], repeated: 0, foreign: [] })
    expect(pair.speaker.live && pair.listener.live).toBe(true)
  }
  for (const { speaker, listener } of pairs) await Promise.all([speaker.hangUp(), listener.hangUp()])
  expect(await ended).toBe(0)
})

test('at the deadline calls continue on another server', async () => {
  await using all = await Deployment.open()
  const [first, second] = await Promise.all([all.start({ DRAGOMAN_DRAIN_SECONDS: '1' }), all.start()])
  all.lead(first)
  const pairs = await Promise.all(['a', 'b', 'c'].map(room => all.pair(room)))
  const said = pairs.map(pair => pair.say(180))
  await pairs[0]!.hears(20)
  const ended = first.command.end('SIGTERM')
  all.lead(second)
  expect(await ended).toBe(0)
  await Promise.all(said)
  await Promise.all(pairs.map(pair => pair.hears(179)))
  for (const pair of pairs) expectOneGap(pair, RESUMED_MS)
})

test('a second SIGTERM, and a single server that restarts: calls wait for it', async () => {
  await using all = await Deployment.open()
  // A busy machine takes seconds to restart a server.
  const first = await all.start({ DRAGOMAN_DRAIN_RESUME_DELAY_SECONDS: '8' })
  all.lead(first)
  const pair = await all.pair('a')
  const said = pair.say(620)
  await pair.hears(20)
  const ended = first.command.end('SIGTERM')
  await drains(first)
  expect(await Promise.race([ended, pause(500)])).toBeUndefined()
  expect(await first.command.end('SIGTERM')).toBe(0)
  all.lead(await all.start({}, first.port))
  await said
  await pair.hears(619)
  expectOneGap(pair, 8_000 + RESUMED_MS)
})

test('kill -9 during a sentence: calls continue on another server', async () => {
  await using all = await Deployment.open()
  const [first, second] = await Promise.all([all.start(), all.start()])
  all.lead(first)
  const pairs = await Promise.all(['a', 'b', 'c'].map(room => all.pair(room)))
  const said = pairs.map(pair => pair.say(180))
  await pairs[0]!.hears(20)
  all.lead(second)
  expect(await first.command.end('SIGKILL')).toBe(-1)
  await Promise.all(said)
  await Promise.all(pairs.map(pair => pair.hears(179)))
  for (const pair of pairs) expectOneGap(pair, RESUMED_MS)
})

test('the process is suspended for 2 s: speech from that time is translated, and requests are answered', async () => {
  await using all = await Deployment.open()
  const only = await all.start()
  all.lead(only)
  const pair = await all.translated('a')
  const said = pair.say(200)
  await pause(1_000)
  process.kill(only.command.pid, 'SIGSTOP')
  const calling = all.call('b')
  await pause(2_000)
  process.kill(only.command.pid, 'SIGCONT')
  expect((await calling).report().errors).toEqual([])
  await said
  await pair.hears(199)
  expect(pair.count()).toMatchObject({ lost: [], repeated: 0, foreign: [] })
})

test('an uncaught exception: calls continue on another server', async () => {
  await using all = await Deployment.open()
  const faulty =
    'data:text/javascript,process.on(%27SIGUSR2%27,()=>{Promise.reject(Object.assign(new%20Error(%27provoked%27),{requestBody:%27what%20was%20said%27}))})'
  const [first, second] = await Promise.all([all.start({ NODE_OPTIONS: `--import=${faulty}` }), all.start()])
  all.lead(first)
  const pair = await all.pair('a')
  const said = pair.say(150)
  await pair.hears(20)
  all.lead(second)
  expect(await first.command.end('SIGUSR2')).toBe(70)
  expect(first.command.err).toContain('"reason":"provoked"')
  // Library errors contain the failed request, which must not be logged.
  expect(first.command.err).not.toContain('what was said')
  await said
  await pair.hears(149)
  expectOneGap(pair, RESUMED_MS)
})

test('the log is not read: calls and requests continue', async () => {
  await using all = await Deployment.open()
  const only = await all.start()
  all.lead(only)
  const pair = await all.pair('a')
  only.command.stopReading()
  // About 700 kB of lines in all: more than any pipe holds.
  for (let n = 0; n < 40; n++)
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const asked = { method: 'POST', body: new URLSearchParams() }
        const answer = await fetch(`${only.address}/twilio/voice?n=${n}`, asked)
        expect(answer.status).toBe(403)
        await answer.arrayBuffer()
      }),
    )
  await pair.say(100)
  await pair.hears(99)
})

/** Both are still in the call, and all gaps together are at most `mostMs`. */
function expectOneGap(pair: Pair, mostMs: number): void {
  const { lost, repeated, late, foreign } = pair.count()
  expect({ repeated, late, foreign }).toEqual({ repeated: 0, late: 0, foreign: [] })
  expect(lost.length).toBeGreaterThan(0)
  expect(lost.length * 20).toBeLessThan(mostMs)
  expect(pair.gapMs()).toBeLessThan(mostMs + 500)
  expect(pair.speaker.live && pair.listener.live).toBe(true)
}
