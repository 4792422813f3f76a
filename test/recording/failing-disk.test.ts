import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DiskRecorder } from '../../src/recording/disk-recorder.ts'
import { recordingSettingsSchema } from '../../src/recording/settings.ts'
import { LogLines } from '../support/log-lines.ts'
import { announcer, START } from '../support/recording/recording-harness.ts'
import { rooms } from '../support/relay/rooms.ts'
import { sine } from '../support/transcode/tone.ts'

/** Anna and Bob in a room, and a recorder that writes to `folder`. */
async function recording(folder: string) {
  const r = await rooms()
  const { relay, clock } = r
  const log = new LogLines()
  const options = recordingSettingsSchema.parse({ mode: 'asked', folder })
  const wallClock = () => START + clock.now()
  const recorder = DiskRecorder.open({
    relay,
    clock,
    announcer,
    settings: options,
    wallClock,
    log,
    language: 'en-us',
  })
  onTestFinished(async () => {
    await recorder[Symbol.asyncDispose]()
    await relay.close()
  })
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  r.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await r.run(500)
  return { ...r, recorder, log }
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recordings-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('rejects a recording that cannot be written, with the reason', async () => {
  const file = join(await emptyFolder(), 'a file')
  await writeFile(file, '')
  const { recorder } = await recording(file)
  expect(() => recorder.start('r')).toThrow(/cannot write recordings to .*a file \((EEXIST|ENOTDIR)\)/)
  expect(recorder.stats).toMatchObject({ begun: 0, refused: 1 })
})

test('reports a disk that fails during a recording and counts the failed tracks', async () => {
  const folder = await emptyFolder()
  const { recorder, log, run, say, relay } = await recording(folder)
  const faults: string[] = []
  relay.observer.on('recording', ({ state, fault }) => faults.push(`${state} ${fault}`))
  recorder.start('r')
  await rm(join(folder, (await readdir(folder))[0]!), { recursive: true })
  await run(1_500)
  say('anna', sine(440, 1_000))
  await run(1_000)
  // Reported immediately, not at the end.
  await expect.poll(() => recorder.of('r')).toMatchObject({ state: 'recording', fault: 'disk-failed' })
  expect(faults).toEqual(['notice undefined', 'recording undefined', 'recording disk-failed'])
  expect(log.complaints.filter(line => line.includes('loses audio') && line.includes('ENOENT'))).toHaveLength(
    1,
  )
  expect(recorder.stats.tracksFailed).toBe(2)
  say('bob', sine(700, 1_000))
  await run(1_000)
  await recorder.stop('r')
  expect(recorder.stats).toMatchObject({ begun: 1, kept: 1, tracksFailed: 2 })
  expect(log.complaints.join()).toContain('recording incomplete')
})
