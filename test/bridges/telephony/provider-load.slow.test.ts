import { expect, type TestContext, test } from 'vitest'
import { WebSocket } from 'ws'
import { sign } from '../../../src/bridges/telephony/markup/form-signature.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { silence, tone } from '../../../src/simulator/service/scripted-answers.ts'
import { ScriptedService } from '../../../src/simulator/service/scripted-service.ts'
import { placeCall, type SimulatedCall } from '../../../src/simulator/twilio/phone/call.ts'
import { PhoneLine } from '../../../src/simulator/twilio/phone/line.ts'
import { Shell } from '../../support/shell.ts'
import { figure, quantile } from '../../support/sources/figures.ts'
import { pause, until } from '../../support/until.ts'

const PUBLIC_URL = 'https://bridge.example.com'
const AUTH_TOKEN = 'a token for this test'
const PAIRS = 50
const ASKED = 500
const WINDOW_MS = 8_000

const ms = (value: number) => `${value.toFixed(1)} ms`
const spread = (values: readonly number[]) =>
  `p50 ${ms(quantile(values, 0.5))}, p99 ${ms(quantile(values, 0.99))}, max ${ms(Math.max(...values))}`

/** A bridge in a separate process, a service and phones in this one. */
async function open() {
  const shell = await Shell.open()
  const service = await ScriptedService.listen({ answer: silence })
  const command = shell.startWith(
    {
      DRAGOMAN_HOST: '127.0.0.1',
      DRAGOMAN_PUBLIC_URL: PUBLIC_URL,
      DRAGOMAN_TWILIO_AUTH_TOKEN: AUTH_TOKEN,
      DRAGOMAN_SERVICE_URL: service.url,
      DRAGOMAN_SERVICE_API_KEY: service.apiKey,
      DRAGOMAN_SERVICE_MODE: 'block',
      DRAGOMAN_LIMITS_MAX_EVENT_LOOP_LAG_MS: '60000',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PROBE)}`,
    },
    ...['serve', '--port', '0'],
  )
  const [, address = ''] = await command.says(/on the line at (http:\S+)/)
  const line = new PhoneLine(systemClock)
  const calls: SimulatedCall[] = []
  const probe = async () => {
    const before = command.err.split('probe ').length
    process.kill(command.pid, 'SIGUSR2')
    await until(() => command.err.split('probe ').length > before, 15_000, 'its CPU time')
    const [cpuUs = 0, mostUs = 0, atMs = 0] = command.err.split('probe ').at(-1)!.split(/\s/).map(Number)
    return { cpuUs, mostUs, atMs }
  }
  return {
    service,
    address,
    /** Returns the bridge's share of a core during the window, and its longest uninterrupted work. */
    async work(windowMs: number) {
      const before = await probe()
      await pause(windowMs)
      const { cpuUs, mostUs, atMs } = await probe()
      return { share: (cpuUs - before.cpuUs) / 1_000 / (atMs - before.atMs), mostMs: mostUs / 1_000 }
    },
    async call(query: string) {
      const call = await placeCall({
        webhook: `${address}/twilio/voice?${query}`,
        ...{ publicUrl: PUBLIC_URL, authToken: AUTH_TOKEN, record: false, line },
      })
      calls.push(call)
      return call
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(calls.map(call => call.hangUp()))
      await shell[Symbol.asyncDispose]()
      await service.close()
    },
  }
}

/**
 * On a signal the bridge's process reports its CPU time, and the longest interval between two checks that are 5 ms
 * apart (µs).
 */
const PROBE = `let last = process.cpuUsage(), most = 0
const sum = ({ user, system }) => user + system
setInterval(() => {
  const now = process.cpuUsage()
  most = Math.max(most, sum(now) - sum(last))
  last = now
}, 5).unref()
process.on('SIGUSR2', () => {
  process.stderr.write('probe ' + sum(process.cpuUsage()) + ' ' + most + ' ' + performance.now() + '\\n')
  most = 0
})`

/** Response times of `ASKED` new calls, one after the other (ms). */
async function webhooks(address: string, name: string): Promise<number[]> {
  const took: number[] = []
  for (let n = 0; n < ASKED; n++) {
    const fields = { CallSid: `CA${name}${n}`, AccountSid: 'AC1', From: '+15005550006', To: '+15005550001' }
    const url = '/twilio/voice?room=nobody'
    const asked = systemClock.now()
    const answer = await fetch(address + url, {
      method: 'POST',
      headers: { 'x-twilio-signature': sign(AUTH_TOKEN, PUBLIC_URL + url, fields) },
      body: new URLSearchParams(fields),
    })
    await answer.text()
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`)
    took.push(systemClock.now() - asked)
  }
  return took
}

/** Opens upgrades with a valid signature and sends this message endlessly. */
async function intruder(address: string, message: string | Buffer, perSecond: number): Promise<Disposable> {
  let socket: WebSocket
  const open = () => {
    socket = new WebSocket(`${address.replace('http', 'ws')}/twilio/media`, {
      headers: { 'x-twilio-signature': sign(AUTH_TOKEN, `${PUBLIC_URL.replace('http', 'ws')}/twilio/media`) },
    })
    socket.on('error', () => {})
  }
  open()
  const timer = setInterval(() => {
    if (socket.readyState === WebSocket.OPEN) for (let n = 0; n < perSecond / 50; n++) socket.send(message)
    // Reconnects when it is cut off.
    else if (socket.readyState === WebSocket.CLOSED) open()
  }, 20)
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      socket.terminate()
    },
  }
}

test('one misbehaving client among many', async (context: TestContext) => {
  await using bridge = await open()
  await webhooks(bridge.address, 'warm')
  const idle = await webhooks(bridge.address, 'idle')
  const pairs = await Promise.all(
    Array.from({ length: PAIRS }, async (_, n) => {
      const query = `room=r${n}&speaks=en-us&hears=en-us`
      return [await bridge.call(query), await bridge.call(query)] as const
    }),
  )
  const speech = tone(400, 300_000, 8_000)
  for (const [speaker] of pairs) void speaker.say(speech, 8_000)
  const bad = await bridge.call('room=bad&speaks=fr-fr&hears=fr-fr')
  void bad.say(speech, 8_000)
  await bridge.call('room=bad&hears=es-es')
  const session = () => bridge.service.sessions.findLast(({ to }) => to === 'es-es')
  await until(() => session(), 15_000, 'the session of the bad call')
  await pause(2_000)

  const loaded = await webhooks(bridge.address, 'loaded')
  figure(context, `answer to a webhook, idle (${ASKED})`, 'p99 ≤ 20 ms', spread(idle))
  figure(context, `the same with ${2 * PAIRS} legs up`, 'p99 ≤ 250 ms', spread(loaded))

  const every = (perSecond: number, act: () => void): Disposable => {
    const timer = setInterval(
      () => {
        for (let n = 0; n < Math.max(1, perSecond / 50); n++) act()
      },
      Math.max(20, 1_000 / perSecond),
    )
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }
  const rubbish = Buffer.from(Array.from({ length: 1_500_000 }, (_, n) => (n * 7_919) & 255))
  const result = (data: Buffer) => () =>
    session()?.emit('result', { id: `u${systemClock.now()}`, final: true, text: 'x', file: { data } })
  const deep = JSON.stringify({ event: 'unknown', x: 1 }).replace(
    '1',
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
  )
  const faults: readonly [string, () => Disposable | Promise<Disposable>][] = [
    ['no fault', () => ({ [Symbol.dispose]() {} })],
    ['a service that sends 5 invalid voices a second of 1.5 MB', () => every(5, result(rubbish))],
    ['a service whose results are too large (5 MB)', () => every(1, result(Buffer.alloc(5_000_000)))],
    [
      'a service that sends 10 000 unknown events a second',
      () => every(10_000, () => session()?.emit('nonsense', {})),
    ],
    ['a service that drops its connection 5 times a second', () => every(5, () => session()?.drop())],
    ['a stream with 1 000 invalid messages a second', () => intruder(bridge.address, '[', 1_000)],
    [
      'a stream with 50 messages a second of 60 KB of nested arrays',
      () => intruder(bridge.address, deep, 50),
    ],
  ]
  let quiet = 0
  for (const [who, begin] of faults) {
    using _fault = await begin()
    await pause(500)
    const { share, mostMs } = await bridge.work(WINDOW_MS)
    if (who === 'no fault') quiet = share
    const percent = (value: number) => `${Math.round(value * 100)} %`
    figure(
      context,
      `work of the bridge for ${PAIRS} calls and ${who}`,
      'no audible pause (200 ms)',
      `${percent(share)} of a core${who === 'no fault' ? '' : ` (${percent(share - quiet)} for it)`}; never more than ${ms(mostMs)} at a time`,
    )
    expect(mostMs).toBeLessThan(200)
  }
})
