import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DIALOGUE } from '../../../src/cli/demo/scripts.ts'
import { twoPhones } from '../../../src/cli/demo/two-phones.ts'
import { Terminal } from '../../../src/cli/terminal.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { rms } from '../../../src/transcode/level.ts'
import { readWav } from '../../../src/transcode/wav.ts'

/** The channels of a file written by the demo. */
async function sides(file: string): Promise<{ said: Int16Array; heard: Int16Array; rate: number }> {
  const { pcm, rate, channels } = readWav(await readFile(file))
  expect(channels).toBe(2)
  return { rate, said: pcm.filter((_, n) => n % 2 === 0), heard: pcm.filter((_, n) => n % 2 === 1) }
}

// Real engines, in real time: two lines of the dialogue, one in each direction.
test('the demo of two phones talks in both directions, and saves the audio of both', async () => {
  const output = await mkdtemp(join(tmpdir(), 'two-phones-'))
  const shown: string[] = []
  const out = { write: (text: string) => shown.push(text) > 0, isTTY: false, columns: 80 }
  try {
    const lines = DIALOGUE.slice(0, 2)
    const code = await twoPhones({ output, lines }, new Terminal(out), noopLogger)
    expect(shown.join('')).toMatch(/NOTE: no engine here recognizes es-es/)
    expect([code, shown.at(-1)]).toEqual([0, expect.stringContaining('callee.wav')])

    const said = JSON.parse(await readFile(join(output, 'transcript.json'), 'utf8'))
    expect(said).toMatchObject([
      { name: 'Ana', from: 'es-es', to: 'en-us', text: lines[0]?.text, scripted: true },
      {
        name: 'John',
        from: 'en-us',
        to: 'es-es',
        text: expect.stringContaining('young man'),
        scripted: false,
      },
    ])
    expect(said[0].translation).toMatch(/who was this man/i)
    expect(await readFile(join(output, 'transcript.txt'), 'utf8')).toContain('Ana (es-es, scripted words)')
    // The lag is reported once a second: possibly not for the last sentence.
    expect(await readFile(join(output, 'lag.svg'), 'utf8')).toMatch(
      /^<svg [\s\S]*<polyline[\s\S]*heard in en-us/,
    )

    for (const side of ['caller', 'callee'] as const) {
      const { said: spoken, heard, rate } = await sides(join(output, `${side}.wav`))
      expect(rate).toBe(8_000)
      expect(rms(spoken)).toBeGreaterThan(100)
      expect(rms(heard)).toBeGreaterThan(100)
    }
  } finally {
    await rm(output, { recursive: true })
  }
})
