import { describe, expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { Talker } from '../support/browser/page-client.ts'
import { guarded, KEY } from '../support/security/guarded.ts'
import { exchanged } from '../support/security/raw.ts'
import { until } from '../support/until.ts'

/** No local address is exempt: 127.0.0.7, 127.0.0.8 … are separate attackers. */
const STRICT = { exemptAddresses: [] as string[] }
/** As from elsewhere: under the public name, no client counts as local. */
const ELSEWHERE = { host: 'bridge.example.com' }

async function page(browser: object) {
  // A busy machine can take longer than a page has for its hello.
  const { app, port } = await guarded({ limits: STRICT, browser }, { clock: new FakeClock() })
  const base = `http://127.0.0.1:${port}`
  const visitor = async (from: string) => {
    const talker = await Talker.open(base, ELSEWHERE, from)
    onTestFinished(() => talker.socket.terminate())
    return talker
  }
  const link = async (name: string) => {
    const ask = async (path: string, body: object) =>
      (await (
        await fetch(`${base}/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json()) as { token: string }
    await ask('/rooms', { name })
    return (await ask(`/rooms/${name}/links`, {})).token
  }
  /** True if a visitor is admitted. */
  const comesIn = async (from: string, by: object = {}) => {
    const talker = await visitor(from)
    talker.send({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es', ...by })
    const told = await until(
      () => talker.told.find(({ kind }) => kind === 'welcome' || kind === 'refused') ?? talker.closed,
      5_000,
      'an answer',
    )
    return 'kind' in told && told.kind === 'welcome'
  }
  return { app, port, visitor, link, comesIn }
}

const many = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('the talk page', () => {
  test('150 silent connections from 3 addresses do not exclude a visitor with a link', async () => {
    const { app, visitor, link, comesIn } = await page({ access: 'invited' })
    const token = await link('desk')
    const silent = await Promise.all(many(150).map(n => visitor(`127.0.0.${7 + (n % 3)}`)))
    // Of each address, the newest wait.
    await expect.poll(() => silent.filter(({ closed }) => closed === undefined).length).toBe(30)
    for (const n of many(8)) expect(await comesIn(`127.0.1.${n}`, { link: token })).toBe(true)
    expect(app.server.browser.sessions).toBe(8)
    expect(app.server.browser.counters.refused.get('busy')).toBe(120)
  })

  test('neither do silent connections from any number of addresses', async () => {
    const { visitor, link, comesIn } = await page({ access: 'invited' })
    const token = await link('desk')
    await Promise.all(many(150).map(n => visitor(`127.0.2.${n % 50}`)))
    for (const n of many(5)) expect(await comesIn(`127.0.1.${n}`, { link: token })).toBe(true)
  })

  test('with access: anyone, one address cannot use all places, and uninvited visitors cannot use those of invited ones', async () => {
    const { app, link, comesIn } = await page({ access: 'anyone', maxVisitors: 10 })
    const token = await link('desk')
    const of = async (from: string, by?: object) => {
      let count = 0
      for (const _ of many(6)) if (await comesIn(from, by)) count++
      return count
    }
    expect(await of('127.0.0.7')).toBe(4)
    expect(await of('127.0.0.8')).toBe(4)
    expect(await of('127.0.0.9')).toBe(0)
    expect(await of('127.0.0.9', { link: token })).toBe(2)
    expect(app.server.browser.sessions).toBe(10)
  })

  test('fifty wrong codes from ten networks lock no code', async () => {
    const { app, link, comesIn } = await page({ access: 'invited' })
    await link('desk')
    const code = await app.roomCodes.issue('desk', 60_000)
    const wrong = code === '00000000' ? '00000001' : '00000000'
    for (const n of many(50)) expect(await comesIn(`127.1.${n % 10}.7`, { code: wrong })).toBe(false)
    expect(app.server.browser.counters.refused.get('code')).toBe(50)
    expect(await comesIn('127.2.0.7', { code })).toBe(true)
    // A client that guessed has to wait.
    expect(await comesIn('127.1.1.7', { code })).toBe(false)
  })

  test('does not reveal the load to unauthenticated clients', async () => {
    const { port } = await page({ access: 'invited' })
    const told = async (path: string, lines: string) =>
      await exchanged(port, `GET ${path} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
    const stranger = 'Host: bridge.example.com\r\n'
    const behindProxy = 'Host: localhost\r\nX-Envoy-Expected-Rq-Timeout-Ms: 15000\r\n'
    for (const path of ['/', '/health', '/ready'])
      for (const head of [stranger, behindProxy]) {
        const answer = await told(path, head)
        expect(answer).toMatch(/^HTTP\/1\.1 200 /)
        expect(answer).not.toMatch(/\b(legs|rooms)\b/)
      }
    expect(await told('/metrics', behindProxy)).toMatch(/^HTTP\/1\.1 401 /)
    expect(await told('/health', 'Host: localhost\r\n')).toContain('"legs":0,"rooms":0')
  })

  test('a link does not give all places to one address', async () => {
    const { link, comesIn } = await page({ access: 'invited', maxVisitors: 30 })
    const token = await link('desk')
    const entered: boolean[] = []
    for (const _ of many(21)) entered.push(await comesIn('127.0.0.7', { link: token }))
    expect(entered).toEqual([...Array(20).fill(true), false])
    expect(await comesIn('127.0.0.8', { link: token })).toBe(true)
  })
})
