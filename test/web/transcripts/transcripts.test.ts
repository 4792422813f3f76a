import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { transcriptSettingsSchema } from '../../../src/web/transcripts/settings.ts'
import { Transcripts } from '../../../src/web/transcripts/transcripts.ts'
import { LogLines } from '../../support/log-lines.ts'
import { until } from '../../support/until.ts'
import { roomTalk } from '../../support/web/scripted-captions.ts'

const HOUR_MS = 3_600_000
/** For disk operations. */
const soon = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 5_000, interval: 10 })

async function kept(settings: object = {}, wallNow?: () => number) {
  const talk = roomTalk()
  const log = new LogLines()
  const transcripts = await Transcripts.open(transcriptSettingsSchema.parse(settings), {
    ...talk,
    wall: wallNow ?? talk.wall,
    log,
  })
  onTestFinished(() => transcripts[Symbol.asyncDispose]())
  const texts = () => transcripts.of('desk')?.entries.map(({ text }) => text)
  return { ...talk, log, transcripts, texts }
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'dragoman-transcripts-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

describe('while the room is open', () => {
  test('contains complete utterances in the order of speech', async () => {
    const { open, clock, caption, transcripts } = await kept()
    open()
    clock.advance(5_000)
    caption('u2', 'sec', { final: false, spoken: { fromMs: 4_000, toMs: 4_900 } })
    caption('u2', 'second', { translation: undefined as never, spoken: { fromMs: 4_000, toMs: 5_000 } })
    caption('u2', 'second', { spoken: { fromMs: 4_000, toMs: 5_500 } })
    caption('u1', 'first', {
      speaker: 'bob-2',
      name: undefined as never,
      spoken: { fromMs: 2_000, toMs: 3_000 },
    })
    caption('u3', 'never finished', { final: false })
    caption('u4', ' ', { translation: '' })
    const { entries, ...rest } = transcripts.of('desk')!
    expect(rest).toMatchObject({ room: 'desk', openedAt: '2026-11-20T10:00:00.000Z', dropped: 0 })
    expect(entries).toEqual([
      {
        utterance: 'u1',
        speaker: 'bob-2',
        from: 'en-us',
        to: 'es-es',
        text: 'first',
        translation: 'es first',
        startMs: 1_000,
        endMs: 2_000,
      },
      expect.objectContaining({
        utterance: 'u2',
        name: 'Anna',
        text: 'second',
        translation: 'es second',
        startMs: 3_000,
        endMs: 4_500,
      }),
    ])
  })

  test('can be deleted, and starts again', async () => {
    const { open, caption, transcripts, texts } = await kept()
    open()
    caption('u1', 'one')
    const { id } = transcripts.of('desk')!
    expect(await transcripts.delete(id)).toBe(true)
    expect(texts()).toEqual([])
    caption('u2', 'two')
    expect(texts()).toEqual(['two'])
    expect((await transcripts.read(id))?.entries).toHaveLength(1)
  })

  test('keeps nothing after the end by default', async () => {
    const { open, close, caption, transcripts, clock } = await kept()
    open()
    caption('u1', 'one')
    const { id } = transcripts.of('desk')!
    expect(transcripts.list()).toHaveLength(1)
    close()
    expect(transcripts.of('desk')).toBeUndefined()
    expect(await transcripts.read(id)).toBeUndefined()
    expect(transcripts.list()).toEqual([])
    expect(await transcripts.delete(id)).toBe(false)
    expect(clock.pending).toBe(0)
  })
})

describe('in memory', () => {
  test('is kept for the configured time and no longer', async () => {
    const { open, close, caption, transcripts, clock } = await kept({ store: 'memory', keepHours: 2 })
    open()
    caption('u1', 'one')
    const { id } = transcripts.of('desk')!
    close()
    expect(transcripts.list()).toEqual([
      {
        id,
        room: 'desk',
        openedAt: '2026-11-20T10:00:00.000Z',
        endedAt: '2026-11-20T10:00:00.000Z',
        deletedAt: '2026-11-20T12:00:00.000Z',
      },
    ])
    expect((await transcripts.read(id))?.entries).toHaveLength(1)
    clock.advance(2 * HOUR_MS - 1)
    expect(transcripts.list()).toHaveLength(1)
    clock.advance(60_000)
    expect(transcripts.list()).toEqual([])
  })

  test('can be deleted early; a room without speech leaves no transcript', async () => {
    const { open, close, caption, transcripts } = await kept({ store: 'memory' })
    open()
    caption('u1', 'one')
    const { id } = transcripts.of('desk')!
    close()
    open()
    close()
    expect(transcripts.list()).toHaveLength(1)
    expect(await transcripts.delete(id)).toBe(true)
    expect(await transcripts.delete(id)).toBe(false)
    expect(transcripts.list()).toEqual([])
  })

  test('limits memory: the oldest are deleted early', async () => {
    const { open, close, caption, transcripts } = await kept({ store: 'memory' })
    for (let n = 0; n < 5_001; n++) {
      open()
      caption(`u${n}`, `${n}`)
      close()
    }
    await until(() => transcripts.list().length === 5_000, 5_000, 'the bound')
    const texts = await Promise.all(
      transcripts.list().map(async ({ id }) => (await transcripts.read(id))?.entries[0]?.text),
    )
    expect(texts).not.toContain('0')
    expect(texts).toContain('5000')
  })
})

describe('on disk', () => {
  const real = () => Date.now()

  test('is written at once, accessible to its owner only, and available in the next run', async () => {
    const path = join(await folder(), 'a', 'b')
    const settings = { store: 'disk', folder: path, keepHours: 1 }
    const first = await kept(settings, real)
    first.open()
    first.caption('u1', 'one')
    first.caption('u2', 'two')
    const { id } = first.transcripts.of('desk')!
    const file = join(path, `${id}.jsonl`)
    await soon(async () => expect(await readFile(file, 'utf8')).toContain('two'))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    first.close()
    await first.transcripts[Symbol.asyncDispose]()

    const second = await kept(settings, real)
    expect(second.transcripts.list()).toMatchObject([{ id, room: 'desk' }])
    const found = await second.transcripts.read(id)
    expect(found?.entries.map(entry => entry.text)).toEqual(['one', 'two'])
    expect(Date.parse(found!.deletedAt!) - Date.parse(found!.endedAt!)).toBe(HOUR_MS)
    expect(await second.transcripts.delete(id)).toBe(true)
    expect(await readdir(path)).toEqual([])
  })

  test('ended when its room closed, not with the last utterance', async () => {
    let later = 0
    const settings = { store: 'disk', folder: await folder() }
    const { open, caption, close, transcripts } = await kept(settings, () => Date.now() + later)
    open()
    caption('u1', 'one')
    later = 10 * 60_000
    close()
    const endedAt = () => transcripts.list()[0]?.endedAt
    expect(Date.parse(await until(endedAt, 5_000, 'the end'))).toBeGreaterThan(Date.now() + later - 60_000)
  })

  test('reads a file as far as possible that a killed process did not complete', async () => {
    const path = await folder()
    const id = 'abcdefghij_-KLMNO012'
    const entry = {
      utterance: 'u',
      speaker: 's',
      from: 'en-us',
      to: 'es-es',
      text: 't',
      translation: 'x',
      startMs: 1,
      endMs: 2,
    }
    const head = { id, room: 'desk', openedAt: '2026-11-20T10:00:00.000Z' }
    const lines = [head, { ...entry, utterance: 'v', startMs: 'x' }, { ...entry, text: 'old' }, entry, 5]
    await writeFile(
      join(path, `${id}.jsonl`),
      `${lines.map(each => JSON.stringify(each)).join('\n')}\n{"utter`,
    )
    const { transcripts } = await kept({ store: 'disk', folder: path }, real)
    expect((await transcripts.read(id))?.entries).toEqual([entry])
  })

  test('is deleted when its time is over; unrelated files remain', async () => {
    const path = await folder()
    const old = 'oldoldoldoldoldoldol'
    const young = 'youngyoungyoungyoung'
    for (const id of [old, young])
      await writeFile(
        join(path, `${id}.jsonl`),
        JSON.stringify({ id, room: 'desk', openedAt: '2026-11-20T10:00:00.000Z' }),
      )
    const others = [
      'notes.txt',
      'oldoldoldoldoldoldo.jsonl',
      'xldoldoldoldoldoldol.jsonl',
      'nothingnothingnothin.jsonl',
    ]
    for (const name of others)
      await writeFile(
        join(path, name),
        name.startsWith('x') ? JSON.stringify({ id: old, room: 'x', openedAt: 'x' }) : '',
      )
    const ago = Date.now() / 1000 - 25 * 3600
    for (const name of [...others, `${old}.jsonl`]) await utimes(join(path, name), ago, ago)
    let ahead = 0
    const { transcripts, clock } = await kept({ store: 'disk', folder: path }, () => Date.now() + ahead)
    expect((await readdir(path)).sort()).toEqual([...others, `${young}.jsonl`].sort())
    ahead = 24 * HOUR_MS
    clock.advance(60_000)
    await until(() => transcripts.list().length === 0, 5_000, 'the sweep')
    await soon(async () => expect((await readdir(path)).sort()).toEqual(others.sort()))
  })

  test('a transcript deleted while its room is open leaves no earlier data on disk', async () => {
    const path = await folder()
    const { open, close, caption, transcripts } = await kept({ store: 'disk', folder: path }, real)
    open()
    caption('u1', 'secret')
    const { id } = transcripts.of('desk')!
    await transcripts.delete(id)
    caption('u2', 'public')
    close()
    await until(() => transcripts.list()[0]?.endedAt !== undefined, 5_000, 'the end')
    const text = await readFile(join(path, `${id}.jsonl`), 'utf8')
    expect(text).toContain('public')
    expect(text).not.toContain('secret')
    open()
    caption('u3', 'secret')
    await transcripts.delete(transcripts.of('desk')!.id)
    close()
    await transcripts[Symbol.asyncDispose]()
    expect(await readdir(path)).toEqual([`${id}.jsonl`])
  })

  test('reports a failing disk once, without any speech, and calls continue', async () => {
    const path = await folder()
    const { open, caption, transcripts, log, texts } = await kept({ store: 'disk', folder: path }, real)
    await rm(path, { recursive: true })
    open()
    caption('u1', 'a secret')
    await until(() => log.complaints.length > 0, 5_000, 'the complaint')
    caption('u2', 'another')
    expect(texts()).toEqual(['a secret', 'another'])
    expect(log.complaints).toEqual([expect.stringContaining('ENOENT')])
    expect(log.complaints.join()).not.toContain('secret')
    expect(transcripts.of('desk')?.entries).toHaveLength(2)
  })

  test('rejects an unusable folder at startup', async () => {
    const path = join(await folder(), 'file')
    await writeFile(path, '')
    await expect(kept({ store: 'disk', folder: path })).rejects.toMatchObject({ code: 'CONFIG' })
  })
})

test('validates its settings', () => {
  expect(transcriptSettingsSchema.parse({})).toEqual({ store: 'never', keepHours: 24, folder: 'transcripts' })
  for (const wrong of [
    { store: 'always' },
    { keepHours: 0 },
    { keepHours: -1 },
    { keepHours: 9_000 },
    { folder: '' },
    { keeps: 1 },
  ])
    expect(transcriptSettingsSchema.safeParse(wrong).success).toBe(false)
})
