import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as simulator from '../../../src/simulator/index.ts'

const ROOT = new URL('../../../', import.meta.url)
const page = (name = 'discord') => readFile(new URL(`docs/testing/${name}.md`, ROOT), 'utf8')

test('the page’s example runs unchanged', async () => {
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(await page()) ?? []
  const code = example
    .replace("'dragoman/simulator'", `'${new URL('src/simulator/index.ts', ROOT).href}'`)
    // The file is in a folder without packages.
    .replace(/'(discord\.js|@discordjs\/voice)'/g, (_, name: string) => `'${import.meta.resolve(name)}'`)
  expect(code).toContain('file://')
  const folder = await mkdtemp(join(tmpdir(), 'example-'))
  try {
    const file = join(folder, 'example.ts')
    await writeFile(file, `${code}\nconsole.log('through')\n`)
    const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 25_000 })
    expect(stdout).toBe('through\n')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('everything that the pages name exists', async () => {
  const text = `${await page()}${await page('discord-voice')}`
  await using discord = await simulator.DiscordSimulator.listen()
  const guild = discord.addGuild({ name: 'Casa' })
  const channel = guild.addVoiceChannel({ name: 'Sala' })
  const member = guild.addMember({ name: 'Ana' })
  await member.join(channel)
  const things: readonly object[] = [
    discord,
    guild,
    member,
    channel,
    channel.call,
    channel.call.faults,
    channel.call.faults.toBot,
    guild.voice.faults,
    guild.voice.user(member) ?? {},
    discord.faults.rest,
    discord.faults.gateway,
    member.write(channel, 'hello'),
  ]
  const [, after = ''] = text.split('## Objects')
  const called = new Set(Array.from(after.matchAll(/`(?:\w+\.)*(\w+)\(/g), ([, name = '']) => name))
  expect(called.size).toBeGreaterThan(30)
  for (const name of called)
    expect(name === 'listen' || things.some(thing => name in thing), `${name}() is nowhere`).toBe(true)
})
