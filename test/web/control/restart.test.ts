import { describe, expect, test } from 'vitest'
import { stateFolder } from '../../support/state.ts'
import { controlled } from '../../support/web/control-harness.ts'

const MINUTE_MS = 60_000
const EPOCH = Date.UTC(2026, 10, 20, 10)

/** Two runs on one state file; the first does not end before the second begins, like one that was killed. */
async function runs() {
  const state = stateFolder(() => EPOCH)
  return {
    first: await controlled({ fleet: state.alone() }),
    next: () => controlled({ fleet: state.alone() }),
  }
}

describe('after a crash', () => {
  test('created rooms exist with their rules, codes and links, and ended ones do not', async () => {
    const { first, next } = await runs()
    await first.ask('POST', '/rooms', { name: 'desk', languages: ['es-es'], maxParticipants: 3 })
    await first.ask('POST', '/rooms', { name: 'gone', codeMinutes: 60 })
    const { code } = (await first.ask('POST', '/rooms/desk/codes', {})).body
    const { token } = (await first.ask('POST', '/rooms/desk/links', {})).body
    const { token: listening } = (await first.ask('POST', '/rooms/desk/listen/links', {})).body
    const { token: captions } = (await first.ask('POST', '/rooms/desk/captions/link', {})).body
    await first.ask('DELETE', '/rooms/gone')
    const second = await next()
    expect((await second.ask('GET', '/rooms')).body.rooms).toMatchObject([
      { name: 'desk', languages: ['es-es'], maxParticipants: 3, state: 'empty' },
    ])
    expect((await second.ask('GET', '/rooms/desk/codes')).body.codes).toMatchObject([{ code }])
    expect(await second.services.roomLinks.find(token)).toBe('desk')
    expect(await second.services.listenLinks.find(listening)).toBe('desk')
    await second.services.links.learn('desk')
    expect(second.services.links.opens(captions, 'desk')).toBe(true)
    await second.ask('DELETE', '/rooms/desk')
    expect(await second.codes.find(code)).toBeUndefined()
    expect(second.services.links.opens(captions, 'desk')).toBe(false)
    expect((await (await next()).ask('GET', '/rooms')).body.rooms).toEqual([])
  })

  test('a created room ends when no one returns to it, or when its time is up', async () => {
    const { first, next } = await runs()
    await first.ask('POST', '/rooms', { name: 'left', emptyMinutes: 5 })
    await first.ask('POST', '/rooms', { name: 'timed', emptyMinutes: 60, maxMinutes: 10 })
    for (const room of ['left', 'timed']) first.join(`guest of ${room}`, { room, hears: 'es-es' })
    await new Promise(resolve => setImmediate(resolve))
    const second = await next()
    const there = async () =>
      (await second.ask('GET', '/rooms')).body.rooms.map((room: { name: string }) => room.name)
    second.clock.advance(4 * MINUTE_MS)
    expect(await there()).toEqual(['left', 'timed'])
    second.join('guest', { room: 'timed', hears: 'es-es' })
    second.clock.advance(MINUTE_MS)
    expect(await there()).toEqual(['timed'])
    second.clock.advance(5 * MINUTE_MS)
    // The guest hears a goodbye first.
    expect(second.services.plans.find('timed')).toBeUndefined()
  })

  test('the codes and links of any other room end unless someone returns', async () => {
    const { first, next } = await runs()
    for (const room of ['left', 'continued']) first.join(`guest of ${room}`, { room, hears: 'es-es' })
    const codes = [
      await first.codes.issue('left', 60 * MINUTE_MS),
      await first.codes.issue('continued', 60 * MINUTE_MS),
    ]
    const link = await first.services.roomLinks.issue('left', 60 * MINUTE_MS)
    const second = await next()
    const valid = () =>
      Promise.all([...codes.map(code => second.codes.find(code)), second.services.roomLinks.find(link)])
    second.join('guest', { room: 'continued', hears: 'es-es' })
    second.clock.advance(14 * MINUTE_MS)
    expect(await valid()).toEqual(['left', 'continued', 'left'])
    second.clock.advance(MINUTE_MS)
    await new Promise(resolve => setImmediate(resolve))
    expect(await valid()).toEqual([undefined, 'continued', undefined])
  })
})
