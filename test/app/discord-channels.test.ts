import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunningChannel } from '../../src/bridges/discord/index.ts'
import { DiscordChannels } from '../../src/bridges/discord/running-channels.ts'
import { LogLines } from '../support/log-lines.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-channels-'))
  file = join(folder, 'channels.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const SALA: RunningChannel = {
  ...{ guildId: '1', channelId: '2', textChannelId: '3', output: ['en-us', 'es-es'], voice: true },
  captions: { style: 'plain', thread: true },
}

function open(now = 1_000_000, path = file) {
  const log = new LogLines()
  const time = { now }
  return {
    log,
    time,
    channels: new DiscordChannels({ file: path, withinMinutes: 10 }, { log, wallClock: () => time.now }),
  }
}

test('passes the running channels to the next process if it starts soon', async () => {
  const first = open()
  expect(first.channels.recent()).toEqual([])
  first.channels.keep([SALA])
  await first.channels[Symbol.asyncDispose]()
  expect(open(1_000_000 + 599_000).channels.recent()).toEqual([SALA])
  expect(open(1_000_000 + 601_000).channels.recent()).toEqual([])
  expect(first.log.complaints).toEqual([])
})

test('writes changes only, and refreshes the file once a minute', async () => {
  const { channels, time } = open()
  channels.keep([])
  await channels[Symbol.asyncDispose]()
  await expect(readFile(file)).rejects.toThrow('ENOENT')
  const written: string[] = []
  for (let second = 0; second < 70; second += 10) {
    channels.keep([SALA])
    await channels[Symbol.asyncDispose]()
    written.push(await readFile(file, 'utf8'))
    time.now += 10_000
  }
  expect(new Set(written).size).toBe(2)
  channels.keep([])
  await channels[Symbol.asyncDispose]()
  expect(open(time.now).channels.recent()).toEqual([])
})

test('drops a channel that was not resumed', async () => {
  const first = open().channels
  first.keep([SALA])
  await first[Symbol.asyncDispose]()
  const second = open().channels
  second.recent()
  second.keep([])
  await second[Symbol.asyncDispose]()
  expect(open().channels.recent()).toEqual([])
})

test.each([
  '',
  '{',
  'null',
  '{"at":"2026-01-01T00:00:00Z","channels":[{"guildId":7}]}',
  '{"at":7,"channels":[]}',
])('a damaged file (%j) resumes no channel, is reported and replaced', async text => {
  await writeFile(file, text)
  const { channels, log } = open()
  expect(channels.recent()).toEqual([])
  expect(log.complaints.join()).toContain('damaged')
  channels.keep([SALA])
  await channels[Symbol.asyncDispose]()
  expect(open().channels.recent()).toEqual([SALA])
})

test('continues without resuming when the file cannot be written or read', async () => {
  const { channels, log } = open(1_000_000, join(folder, 'missing', 'channels.json'))
  channels.keep([SALA])
  await channels[Symbol.asyncDispose]()
  expect(log.complaints.join()).toContain('cannot be written')
  const other = open(1_000_000, folder)
  expect(other.channels.recent()).toEqual([])
  expect(other.log.complaints.join()).toContain('cannot be read')
})
