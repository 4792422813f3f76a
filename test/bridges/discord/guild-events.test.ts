import { EventEmitter } from 'node:events'
import { Collection } from 'discord.js'
import { expect, test } from 'vitest'
import { GuildEvents, type GuildWatcher } from '../../../src/bridges/discord/guild-events.ts'
import { LogLines } from '../../support/log-lines.ts'

function stage() {
  const client = Object.assign(new EventEmitter(), {
    guilds: { cache: new Collection<string, { id: string; shardId: number }>() },
  })
  const log = new LogLines()
  const events = new GuildEvents(client as never, log)
  events.start()
  const told: string[] = []
  const watch = (guildId: string, shardId = 0, more: Partial<GuildWatcher> = {}) => {
    client.guilds.cache.set(guildId, { id: guildId, shardId })
    const tell = (what: string) => void told.push(`${guildId} ${what}`)
    return events.watch(guildId, {
      changed: () => tell('changed'),
      channelGone: id => tell(`gone ${id}`),
      guildGone: () => tell('removed'),
      guildBack: () => tell('back'),
      begunAnew: () => tell('anew'),
      resumed: () => tell('resumed'),
      ...more,
    })
  }
  return { client, events, log, told, watch }
}

test('fifty channels are watched with one listener per event, and without a warning', async () => {
  const { client, events, watch } = stage()
  const warnings: string[] = []
  const warned = ({ name }: Error) => void warnings.push(name)
  process.on('warning', warned)
  const before = client.eventNames().map(name => client.listenerCount(name))
  const watches = Array.from({ length: 50 }, (_, at) => watch(`guild ${at}`))
  expect(client.eventNames().map(name => client.listenerCount(name))).toEqual(before)
  expect(Math.max(...before)).toBe(1)
  await new Promise(settle => setImmediate(settle))
  process.off('warning', warned)
  expect(warnings).toEqual([])
  for (const each of watches) each[Symbol.dispose]()
  events[Symbol.dispose]()
  expect(client.eventNames()).toEqual([])
})

test('events reach only the watchers of their guild or shard, until disposed', () => {
  const { client, told, watch } = stage()
  const first = watch('a', 0)
  watch('b', 1)
  client.emit('voiceStateUpdate', {}, { guild: { id: 'a' } })
  client.emit('channelDelete', { id: '7', guild: { id: 'b' } })
  client.emit('channelDelete', { id: '8' })
  client.emit('guildDelete', { id: 'c' })
  expect(told.splice(0)).toEqual(['a changed', 'b gone 7'])
  client.emit('shardReady', 1)
  client.emit('shardResume', 0, 3)
  expect(told.splice(0)).toEqual(['b anew', 'b changed', 'a resumed', 'a changed'])
  first[Symbol.dispose]()
  client.emit('guildAvailable', { id: 'a' })
  client.emit('guildAvailable', { id: 'b' })
  expect(told).toEqual(['b back', 'b changed'])
})

test('an exception in one watcher reaches neither the client nor the others', () => {
  const { client, log, told, watch } = stage()
  const changed = () => {
    throw new Error('broken')
  }
  watch('a', 0, { changed })
  watch('a')
  client.emit('voiceStateUpdate', {}, { guild: { id: 'a' } })
  expect(told).toEqual(['a changed'])
  expect(log.complaints.join()).toContain('broken')
})
