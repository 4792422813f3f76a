import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Flite } from '../../../../src/service/engines/local/flite.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'
import { ENGINES } from '../../../support/engines/engine-settings.ts'

const installed = spawnSync('flite', ['-lv']).status === 0
const leftovers = () => readdirSync(tmpdir()).filter(name => name.startsWith('dragoman-flite-'))

/** Names of non-empty files, including those in a folder. */
function sizeOf(path: string): string[] {
  try {
    const { size } = statSync(path)
    return size > 0 ? [path] : []
  } catch {
    return []
  }
}

describe.skipIf(!installed)('where it is installed', () => {
  conforms(
    'flite speaks',
    synthesizerChecks,
    () => Flite.create(ENGINES.flite),
    engine => engine.close(),
  )

  test('its voices have their true gender', async () => {
    const { voices } = await Flite.create(ENGINES.flite)
    const gender = (id: string) => voices.find(({ voiceId }) => voiceId === id)?.voiceGender
    expect([gender('flite-en-us-slt'), gender('flite-en-us-rms')]).toEqual(['F', 'M'])
    expect(voices.some(({ voiceId }) => voiceId.includes('time'))).toBe(false)
  })

  test('uses no named file while it speaks, so that nothing remains after a SIGKILL', async () => {
    const engine = await Flite.create(ENGINES.flite)
    const before = leftovers()
    let running = true
    const seen: string[] = []
    const looking = (async () => {
      while (running) {
        for (const name of leftovers()) if (!before.includes(name)) seen.push(...sizeOf(join(tmpdir(), name)))
        await new Promise(setImmediate)
      }
    })()
    const text = 'One sentence. Another sentence. And one more, at the end.'
    const speech = await engine.speak(text, 'flite-en-us-slt', new AbortController().signal)
    let samples = 0
    for await (const pcm of speech.pieces) samples += pcm.length
    running = false
    await looking
    expect(samples).toBeGreaterThan(16_000)
    expect(seen).toEqual([])
    await engine.close()
  })

  test('leaves no files or processes, also when aborted', async () => {
    const engine = await Flite.create(ENGINES.flite)
    const before = leftovers()
    const stop = new AbortController()
    const speech = engine.speak('this will take a while '.repeat(200), 'flite-en-us-slt', stop.signal)
    setTimeout(() => stop.abort(), 100)
    for await (const _ of (await speech).pieces);
    expect(leftovers()).toEqual(before)
    const running = () => execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
    await expect.poll(running).not.toContain('flite -voice slt -f /dev/stdin -o /dev/fd/3')
  })
})

test('reports a missing installation', async () => {
  await expect(Flite.create({ ...ENGINES.flite, command: 'no-such-flite' })).rejects.toMatchObject({
    name: 'EngineError',
    kind: 'synthesis',
  })
})
