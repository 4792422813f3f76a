import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import type { RunningChannel } from '../../src/bridges/discord/contract.ts'
import { DiscordPreferences } from '../../src/bridges/discord/preferences.ts'
import { DiscordChannels } from '../../src/bridges/discord/running-channels.ts'
import { FleetHub, type HubFleet } from '../support/fleet/fleet-hub.ts'
import { LogLines } from '../support/log-lines.ts'

const ANA = '700000000000000001'
const SALA: RunningChannel = {
  guildId: '1',
  channelId: '2',
  textChannelId: '2',
  output: 'auto',
  captions: { style: 'embed', thread: false },
  voice: true,
}

async function nodes() {
  const hub = new FleetHub()
  const clock = new FakeClock()
  const options = { clock, wallClock: () => Date.UTC(2026, 0, 1) + clock.now(), log: new LogLines() }
  const preferences = (fleet: HubFleet) => {
    const it = new DiscordPreferences(fleet, options)
    it.start()
    onTestFinished(() => it[Symbol.dispose]())
    return it
  }
  const channels = (fleet: HubFleet) => new DiscordChannels(fleet, options)
  return { hub, clock, preferences, channels, a: hub.join('a'), b: hub.join('b') }
}

test('preferences of Discord users are known at every node, without their IDs', async () => {
  const { hub, preferences, a, b } = await nodes()
  const [one, two] = [preferences(a), preferences(b)]
  // Until the preferences are read, no one is listened to.
  expect(one.optedOut(ANA)).toBe(true)
  await settled()
  expect([one.optedOut(ANA), two.optedOut(ANA)]).toEqual([false, false])
  one.setLanguage(ANA, 'es-es', true)
  await one.setOptedOut(ANA, true)
  expect(two.about(ANA)).toEqual({ language: 'es-es', remembered: true, optedOut: true })
  one.setLanguage('2', 'fr-fr', false)
  expect([one.language('2'), two.language('2')]).toEqual(['fr-fr', undefined])
  const late = preferences(hub.join('c'))
  await settled()
  expect(late.optedOut(ANA)).toBe(true)
  expect(hub.stored).not.toContain(ANA)
  await two.forget(ANA)
  expect([one.about(ANA), hub.stored]).toEqual([{ remembered: false, optedOut: false }, ''])
})

test('an opt-out takes effect here, but is not confirmed while the fleet is unavailable', async () => {
  const { preferences, a, b } = await nodes()
  const [one, two] = [preferences(a), preferences(b)]
  await settled()
  a.away = true
  await expect(one.setOptedOut(ANA, true)).rejects.toMatchObject({ code: 'FLEET_AWAY' })
  expect(one.optedOut(ANA)).toBe(true)
  // It is stored when the fleet is back.
  a.away = false
  await settled()
  expect([one.optedOut(ANA), two.optedOut(ANA)]).toEqual([true, true])
})

test('the next node with the bot resumes the channels of one that ended recently', async () => {
  const { clock, channels, a, b } = await nodes()
  const [one, two] = [channels(a), channels(b)]
  one.keep([SALA])
  // A node without the bot deletes nothing.
  two.keep([])
  await settled()
  expect(await two.recent()).toEqual([SALA])
  clock.advance(9 * 60_000)
  one.keep([SALA])
  await settled()
  clock.advance(9 * 60_000)
  expect(await two.recent()).toEqual([SALA])
  two.keep([])
  await settled()
  expect(await one.recent()).toEqual([])
})

function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
