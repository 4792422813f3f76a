import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { RoomLinks } from '../../../src/core/calls/room-links.ts'
import { RoomVisits } from '../../../src/core/calls/room-visits.ts'
import { ownState } from '../../../src/core/model/shared-state.ts'
import { browserServer } from '../../support/browser/browser-bridge-harness.ts'
import type { Talker } from '../../support/browser/page-client.ts'
import { until } from '../../support/until.ts'

const ANNA = { speaks: 'en-us', hears: 'en-us', alone: 'es-es', name: 'Anna' }
const BOB = { speaks: 'es-es', hears: 'es-es', alone: 'en-us', name: 'Bob' }

async function opened(options: Parameters<typeof browserServer>[0] = {}) {
  const b = await browserServer(options)
  onTestFinished(() => b.close())
  return b
}

type Server = Awaited<ReturnType<typeof opened>>

/** Anna, and Bob by her link. */
async function two(b: Server) {
  const anna = await b.talker()
  const annas = await anna.hello(ANNA)
  anna.send({ kind: 'invite' })
  const link = (await anna.expect('invited')).path.replace('/#join=', '')
  const bob = await b.talker()
  const bobs = await bob.hello({ ...BOB, link })
  return { anna, annas, bob, bobs, link }
}

async function back(
  b: Server,
  { call, secret }: { call: string; secret: string },
  who: object = ANNA,
): Promise<{
  page: Talker
  told: () => Promise<{ parties: readonly { id: string; you: boolean }[]; server: string }>
}> {
  const page = await b.talker()
  page.send({ kind: 'resume', call, secret, hello: { kind: 'hello', ...who } })
  return { page, told: () => page.expect('welcome') }
}

const idsOf = (parties: readonly { id: string }[]) => parties.map(({ id }) => id).sort()

test('after a restart both return to the same room as the same participants, and a newcomer is another one', async () => {
  const state = ownState(new FakeClock(0))
  const clock = new FakeClock(1_000)
  const stores = () => ({ links: new RoomLinks(clock, state), visits: new RoomVisits(clock, state) })
  const before = await opened(stores())
  const { annas, bob, bobs, link } = await two(before)
  const { parties } = await bob.expect('parties', ({ parties }) => parties.length === 2)
  await before.close()

  const after = await opened(stores())
  const newcomer = await after.talker()
  const other = await newcomer.hello({ link, name: 'Carla' })
  const bobsReturn = await (await back(after, bobs, BOB)).told()
  const anna = await back(after, annas)
  const annasReturn = await anna.told()
  const [carla] = other.parties
  expect(idsOf(annasReturn.parties)).toEqual(idsOf([...parties, carla!]))
  expect(annasReturn.parties.find(({ you }) => you)?.id).toBe(annas.parties[0]?.id)
  expect(annasReturn).toMatchObject({ resumed: true, self: { speaks: 'en-us' }, server: bobsReturn.server })
  expect(annasReturn.server).not.toBe(annas.server)
  expect(after.relay.rooms.size).toBe(1)
})

test('a closed or reloaded page keeps its place for a moment, and can return for as long as the room lives', async () => {
  const b = await opened()
  const { anna, bob, bobs } = await two(b)
  bob.socket.close(1001)
  const absent = await anna.expect('parties', ({ parties }) => parties.some(each => each.absent))
  expect(absent.parties).toMatchObject([{ name: 'Anna' }, { name: 'Bob', absent: true }])
  await b.run(11_000)
  await anna.expect('parties', ({ parties }) => parties.length === 1)
  const returned = await (await back(b, bobs, BOB)).told()
  expect(returned.parties.find(({ you }) => you)?.id).toBe(bobs.parties.find(({ you }) => you)?.id)
})

test.each([
  ['hung up', (bob: Talker) => bob.send({ kind: 'bye' })],
  [
    'was removed',
    (_: Talker, b: Server) =>
      void b.relay.find([...[...b.relay.rooms.values()][0]!.participants.keys()].at(-1)!)?.hangUp(),
  ],
])('who %s cannot return', async (_, end) => {
  const b = await opened()
  const { anna, bob, bobs } = await two(b)
  end(bob, b)
  await anna.expect('parties', ({ parties }) => parties.length === 1)
  const { page } = await back(b, bobs, BOB)
  expect(await page.expect('refused')).toMatchObject({ why: 'gone' })
})

test('a visit ends with the life of its room, and wrong credentials admit nobody', async () => {
  const b = await opened()
  const { anna, annas, bob, bobs } = await two(b)
  for (const page of [anna, bob]) page.socket.close(1001)
  await until(() => b.bridge.legs.size === 0, 5_000, 'the end')
  const wrong = await back(b, { ...bobs, secret: annas.secret }, BOB)
  expect(await wrong.page.expect('refused')).toMatchObject({ why: 'gone' })
  await b.run(11_000)
  b.clock.advance(121_000)
  await until(async () => (await b.bridge.links.count()) === 0, 5_000, 'the end of the room')
  const late = await back(b, bobs, BOB)
  expect(await late.page.expect('refused')).toMatchObject({ why: 'gone' })
})

test('a second page of the same visitor takes over, and the first can continue', async () => {
  const b = await opened()
  const { anna, annas } = await two(b)
  const second = await back(b, annas)
  expect((await second.told()).parties).toHaveLength(2)
  expect(await anna.expect('ended')).toMatchObject({ why: 'replaced' })
  const third = await back(b, annas)
  await third.told()
  expect(await second.page.expect('ended')).toMatchObject({ why: 'replaced' })
})
