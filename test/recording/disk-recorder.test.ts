import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DiskRecorder, type DiskRecorderOptions } from '../../src/recording/disk-recorder.ts'
import type { RecordingNotes } from '../../src/recording/manifest.ts'
import { deleteOldRecordings } from '../../src/recording/manifest.ts'
import { type RecordingSettings, recordingSettingsSchema } from '../../src/recording/settings.ts'
import { loudness, peak } from '../../src/transcode/level.ts'
import { readWav } from '../../src/transcode/wav.ts'
import { LogLines } from '../support/log-lines.ts'
import { announcer, NOTICE_HZ, START } from '../support/recording/recording-harness.ts'
import { rooms } from '../support/relay/rooms.ts'
import { sine } from '../support/transcode/tone.ts'

let folder: string
let r: Awaited<ReturnType<typeof rooms>>
let recorder: DiskRecorder
let log: LogLines
let states: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordings-'))
})
afterEach(async () => {
  await recorder[Symbol.asyncDispose]()
  await r.relay.close()
  await rm(folder, { recursive: true })
})

async function couple(settings: Partial<RecordingSettings> = {}, limits: DiskRecorderOptions['limits'] = {}) {
  r = await rooms()
  log = new LogLines()
  states = []
  r.relay.observer.on('recording', ({ state }) => states.push(state))
  const options = recordingSettingsSchema.parse({ mode: 'asked', folder, ...settings })
  const { relay, clock } = r
  const wallClock = () => START + clock.now()
  recorder = DiskRecorder.open({
    relay,
    clock,
    announcer,
    settings: options,
    limits,
    wallClock,
    log,
    language: 'en-us',
  })
  const anna = r.live('anna', { speaks: 'en-us', hears: 'en-us', name: 'Anna' })
  const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await r.run(500)
  return { anna, bob }
}

/** The only recording in the folder. */
async function made() {
  const names = await readdir(folder)
  expect(names).toHaveLength(1)
  const path = join(folder, names[0]!)
  const notes: RecordingNotes = JSON.parse(await readFile(join(path, 'recording.json'), 'utf8'))
  const track = async (kind: string, participant: string) => {
    const found = notes.tracks.filter(each => each.kind === kind && each.participant === participant)
    expect(found, `${kind} ${participant}`).toHaveLength(1)
    return readWav(await readFile(join(path, found[0]!.file))).pcm
  }
  return { path, notes, track }
}

const at = (pcm: Int16Array, from: number, to: number) => pcm.subarray(from * 16, to * 16)

/** Both participants talk for a second each and are translated. */
async function talk() {
  r.say('anna', sine(440, 1_000))
  await r.run(1_000)
  r.say('bob', sine(700, 1_000))
  r.answer('en-us', 'es-es', 1_800, 500)
  await r.run(1_000)
  r.answer('es-es', 'en-us', 1_200, 500)
  await r.run(1_000)
}

describe('a recording', () => {
  test('has four tracks of equal length on one timeline: each voice and each translation', async () => {
    const { anna, bob } = await couple()
    expect(recorder.start('r')).toMatchObject({ state: 'notice', keptMs: 0 })
    await r.run(1_500)
    for (const leg of [anna, bob])
      expect(loudness(leg.heard().subarray(-20_000), NOTICE_HZ, 16_000)).toBeGreaterThan(1_000)
    expect(recorder.of('r')).toMatchObject({ state: 'recording' })
    const before = recorder.of('r')!.keptMs
    await talk()
    const { keptMs } = (await recorder.stop('r'))!
    expect(keptMs).toBe(before + 3_000)
    expect(states).toEqual(['notice', 'recording', 'ended'])
    const { notes, track } = await made()
    expect(notes).toMatchObject({ version: 1, room: 'r', durationMs: keptMs, pauses: [] })
    expect(notes.tracks).toHaveLength(4)
    expect(
      notes.tracks.find(({ kind, participant }) => kind === 'original' && participant === 'anna'),
    ).toMatchObject({
      name: 'Anna',
      channel: 'fake',
      language: 'en-us',
    })
    const [annaSaid, bobSaid] = [await track('original', 'anna'), await track('original', 'bob')]
    const [forBob, forAnna] = [await track('translation', 'anna'), await track('translation', 'bob')]
    for (const pcm of [annaSaid, bobSaid, forBob, forAnna]) expect(pcm.length).toBe(keptMs * 16)
    expect(loudness(at(annaSaid, before + 100, before + 900), 440, 16_000)).toBeGreaterThan(7_000)
    expect(peak(at(annaSaid, before + 1_100, before + 3_000))).toBe(0)
    expect(loudness(at(bobSaid, before + 1_100, before + 1_900), 700, 16_000)).toBeGreaterThan(7_000)
    expect(loudness(at(forBob, before + 1_100, before + 1_400), 1_800, 16_000)).toBeGreaterThan(1_000)
    expect(peak(at(forBob, before, before + 950))).toBe(0)
    expect(loudness(at(forAnna, before + 2_100, before + 2_400), 1_200, 16_000)).toBeGreaterThan(1_000)
    expect(log.complaints).toEqual([])
    expect(recorder.stats).toMatchObject({ begun: 1, kept: 1, keptMs, lostMs: 0, tracksFailed: 0 })
  })

  test('keeps no speech from before all participants have heard the notice', async () => {
    await couple()
    r.say('anna', sine(440, 400))
    recorder.start('r')
    await r.run(400)
    expect(recorder.of('r')?.state).toBe('notice')
    r.say('anna', sine(800, 300))
    await r.run(2_000)
    await recorder.stop('r')
    const { notes } = await made()
    expect(notes.tracks.filter(({ kind }) => kind === 'translation')).toEqual([])
    const { track } = await made()
    expect(peak(await track('original', 'anna'))).toBe(0)
  })

  test('cuts out pauses, notifies all participants and resumes at the right position', async () => {
    const { bob } = await couple()
    recorder.start('r')
    await r.run(1_500)
    const before = recorder.of('r')!.keptMs
    r.say('anna', sine(440, 500))
    await r.run(500)
    expect(recorder.pause('r').state).toBe('paused')
    expect(recorder.pause('r').state).toBe('paused')
    r.say('anna', sine(600, 1_000))
    await r.run(1_000)
    expect(loudness(bob.heard().subarray(-16_000), 3_000, 16_000)).toBeGreaterThan(500)
    expect(recorder.resume('r')).toMatchObject({ state: 'recording', keptMs: before + 500 })
    r.say('anna', sine(900, 500))
    await r.run(500)
    await recorder.stop('r')
    const { notes, track } = await made()
    expect(notes.pauses).toEqual([{ atMs: before + 500, forMs: 1_000 }])
    const said = await track('original', 'anna')
    expect(said.length / 16).toBe(before + 1_000)
    expect(loudness(at(said, before + 50, before + 450), 440, 16_000)).toBeGreaterThan(7_000)
    expect(loudness(at(said, before + 600, before + 950), 900, 16_000)).toBeGreaterThan(6_000)
    expect(loudness(said, 600, 16_000)).toBeLessThan(500)
  })

  test('that is paused during its notice keeps nothing until it is resumed', async () => {
    const { bob } = await couple()
    recorder.start('r')
    await r.run(100)
    expect(recorder.pause('r').state).toBe('notice')
    r.say('anna', sine(600, 3_000))
    await r.run(2_000)
    expect(recorder.of('r')).toMatchObject({ state: 'paused', keptMs: 0 })
    // Participants hear both notices: that they are recorded, and that the recording is paused.
    expect(loudness(bob.heard(), NOTICE_HZ, 16_000)).toBeGreaterThan(500)
    expect(loudness(bob.heard().subarray(-32_000), 3_000, 16_000)).toBeGreaterThan(500)
    await r.run(1_000)
    recorder.resume('r')
    r.say('anna', sine(900, 500))
    await r.run(500)
    await recorder.stop('r')
    const { track } = await made()
    const said = await track('original', 'anna')
    expect(loudness(said, 600, 16_000)).toBeLessThan(100)
    expect(loudness(said, 900, 16_000)).toBeGreaterThan(5_000)
    expect(states).toEqual(['notice', 'paused', 'recording', 'ended'])
  })

  test('keeps a participant who heard the notice, even if another notice follows immediately', async () => {
    const { bob } = await couple()
    recorder.start('r')
    await r.run(40)
    let begun = false
    r.relay.observer.on('notice', ({ notice, stage }) => {
      if (notice === 'notice next' && stage === 'begun') begun = true
    })
    // A notice that is obsolete when it starts, with 200 ms of the previous one still in transit.
    const next = r.relay.find('bob')!.announce({ name: 'notice next', pcm: sine(2_500, 1_000) })
    for (let waited = 0; !begun && waited < 3_000; waited += 20) await r.run(20)
    expect(begun).toBe(true)
    next.stop({ flush: true })
    await r.run(1_000)
    r.say('bob', sine(700, 500))
    await r.run(500)
    await recorder.stop('r')
    const { track } = await made()
    expect(loudness(await track('original', 'bob'), 700, 16_000)).toBeGreaterThan(2_000)
    expect(bob.flushes).toBe(0)
    expect(log.complaints).toEqual([])
  })

  test('repeats the notice for a participant whose connection broke during it', async () => {
    const { bob } = await couple()
    recorder.start('r')
    await r.run(300)
    r.relay.find('bob')!.playout.clear()
    await r.run(2_000)
    r.say('bob', sine(700, 500))
    await r.run(500)
    await recorder.stop('r')
    const { track } = await made()
    expect(loudness(await track('original', 'bob'), 700, 16_000)).toBeGreaterThan(2_000)
    expect(loudness(bob.heard().subarray(-48_000), NOTICE_HZ, 16_000)).toBeGreaterThan(500)
  })

  test('omits later participants until they have heard the notice', async () => {
    await couple()
    recorder.start('r')
    await r.run(1_500)
    const carla = r.live('carla', { speaks: 'en-us', hears: 'en-us' })
    r.say('carla', sine(1_000, 200))
    await r.run(1_500)
    expect(loudness(carla.heard(), NOTICE_HZ, 16_000)).toBeGreaterThan(500)
    r.say('carla', sine(1_400, 500))
    await r.run(500)
    await recorder.stop('r')
    const { track } = await made()
    const said = await track('original', 'carla')
    expect(loudness(said, 1_000, 16_000)).toBeLessThan(20)
    expect(loudness(said.subarray(-8_000), 1_400, 16_000)).toBeGreaterThan(6_000)
  })

  test('ends with its room and is complete', async () => {
    const { anna, bob } = await couple()
    recorder.start('r')
    await r.run(1_500)
    await talk()
    for (const leg of [anna, bob]) await leg.close({ kind: 'hangup', by: 'remote' })
    await r.run(20)
    expect(recorder.of('r')).toBeUndefined()
    await recorder[Symbol.asyncDispose]()
    expect((await made()).notes.durationMs).toBeGreaterThan(3_000)
  })

  test('that ends before its notice leaves no files', async () => {
    await couple()
    recorder.start('r')
    await recorder.stop('r')
    expect(await readdir(folder)).toEqual([])
    await r.run(2_000)
    expect(states).toEqual(['notice', 'ended'])
  })

  test('starts automatically when configured', async () => {
    await couple({ mode: 'always' })
    await r.run(1_500)
    expect(recorder.of('r')?.state).toBe('recording')
  })

  test('ends at its maximum length', async () => {
    await couple({}, { longestMs: 60_000 })
    recorder.start('r')
    await r.run(62_000)
    expect(recorder.of('r')).toBeUndefined()
    await recorder[Symbol.asyncDispose]()
    expect((await made()).notes.durationMs).toBeLessThan(60_100)
  })

  test('is rejected when recording is off, the room is empty or too many are in progress', async () => {
    await couple({}, { most: 1 })
    expect(() => recorder.start('nowhere')).toThrow('the room is empty')
    expect(() => recorder.pause('r')).toThrow('not being recorded')
    const { id } = recorder.start('r')
    expect(recorder.start('r').id).toBe(id)
    r.join('dora', { room: 'other', speaks: 'en-us', hears: 'es-es' })
    expect(() => recorder.start('other')).toThrow('1 recordings reached')
    await recorder[Symbol.asyncDispose]()
    await r.relay.close()
    await couple({ mode: 'off' })
    expect(() => recorder.start('r')).toThrow('recording is off')
  })

  /** Creates a recording of an earlier run, last written at `writtenAt`. */
  async function earlier(name: string, notes: object | undefined, writtenAt: number) {
    await mkdir(join(folder, name))
    const files = ['01-original.wav', ...(notes === undefined ? [] : ['recording.json'])]
    for (const file of files) {
      await writeFile(join(folder, name, file), file.endsWith('json') ? JSON.stringify(notes) : '')
      await utimes(join(folder, name, file), writtenAt / 1_000, writtenAt / 1_000)
    }
  }

  const HOUR = 3_600_000
  const KEEP = 720 * HOUR
  const iso = (ms: number) => new Date(ms).toISOString()

  test('is deleted after its retention period; other files are kept', async () => {
    const [tooOld, justNot] = [START - KEEP - HOUR, START - KEEP + HOUR]
    const notes = (endedAt: number) => ({
      startedAt: iso(endedAt - HOUR),
      endedAt: iso(endedAt),
      durationMs: HOUR,
    })
    // Age counts from the end, regardless of the modification time.
    await earlier('20200101T000000Z-000000000001', notes(tooOld), START)
    await earlier('20200101T000000Z-000000000002', notes(justNot), tooOld)
    // Without a recorded end, it is derived from start, duration and pauses.
    const before = { startedAt: iso(tooOld - HOUR), durationMs: HOUR / 2, pauses: [{ forMs: HOUR / 2 }] }
    await earlier('20200101T000000Z-000000000003', before, START)
    // Cut off by a crash, with and without metadata: age counts from the last write.
    await earlier('20200101T000000Z-000000000004', { startedAt: iso(tooOld) }, tooOld)
    await earlier('20200101T000000Z-000000000005', { startedAt: iso(tooOld) }, justNot)
    await earlier('20200101T000000Z-000000000006', undefined, tooOld)
    await earlier('20200101T000000Z-000000000007', undefined, justNot)
    for (const other of ['photos', '20200101T000000Z-0000000000011'])
      await earlier(other, notes(tooOld), tooOld)
    await couple()
    await expect
      .poll(async () => (await readdir(folder)).sort())
      .toEqual(
        [
          ...[2, 5, 7].map(n => `20200101T000000Z-00000000000${n}`).sort(),
          '20200101T000000Z-0000000000011',
          'photos',
        ].sort(),
      )
  })

  test('in progress is never deleted, regardless of its age or inactivity', async () => {
    await couple({ keepHours: 1 })
    recorder.start('r')
    await r.run(1_500)
    const [name = ''] = await readdir(folder)
    // Sets the modification time of all its files.
    const age = async (ms: number) => {
      for (const file of await readdir(join(folder, name)))
        await utimes(join(folder, name, file), ms / 1_000, ms / 1_000)
    }
    await expect.poll(() => readdir(join(folder, name))).toContain('recording.json')
    await age(START - 100 * HOUR)
    r.clock.advance(15 * 60_000)
    const touched = async () => (await stat(join(folder, name, 'recording.json'))).mtimeMs
    await expect.poll(touched).toBeGreaterThan(START + HOUR / 5)
    // Another process with the same folder also treats it as in progress.
    expect(await deleteOldRecordings(folder, { olderThan: START, running: [] })).toBe(0)
    await age(START - 100 * HOUR)
    expect(await deleteOldRecordings(folder, { olderThan: START, running: [join(folder, name)] })).toBe(0)
    await recorder.stop('r')
    await age(START - 100 * HOUR)
    expect((await made()).notes.endedAt).toBe(iso(START + r.clock.now()))
    expect(await deleteOldRecordings(folder, { olderThan: START, running: [] })).toBe(0)
  })
})
