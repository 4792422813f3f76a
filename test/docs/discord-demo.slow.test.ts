import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { discordDemo } from '../../src/cli/demo/discord.ts'
import { TURNS } from '../../src/cli/demo/scripts.ts'
import { Terminal } from '../../src/cli/terminal.ts'
import { noopLogger } from '../../src/common/log.ts'
import { readWav, rms } from '../../src/transcode/index.ts'

// Real engines, in real time: two of the lines, one in each direction.
it('the demonstration of Discord talks in both directions, and records speech, audio and chat', async () => {
  const output = await mkdtemp(join(tmpdir(), 'discord-demo-'))
  const shown: string[] = []
  const out = { write: (text: string) => shown.push(text) > 0, isTTY: false, columns: 80 }
  try {
    expect(await discordDemo({ output, turns: TURNS.slice(0, 2) }, new Terminal(out), noopLogger)).toBe(0)
    const text = shown.join('')
    expect(text).toMatch(/NOTE: no engine here recognizes es-es/)
    expect(text).toContain('John types /interpret start')

    const { pcm, channels, rate } = readWav(await readFile(join(output, 'channel.wav')))
    expect([channels, rate]).toEqual([2, 16_000])
    // Their speech is on the left, the bot's audio for the channel on the right.
    for (const side of [0, 1]) expect(rms(pcm.filter((_, at) => at % 2 === side))).toBeGreaterThan(100)
    const chat = await readFile(join(output, 'chat.txt'), 'utf8')
    expect(chat).toMatch(/young man/)
    expect(chat).toMatch(/wife|woman/i)
  } finally {
    await rm(output, { recursive: true })
  }
})
