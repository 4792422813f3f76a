import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noopLogger } from '../../../src/common/log.ts'
import { RoomCodes } from '../../../src/core/calls/room-codes.ts'
import { openControlContext } from '../../../src/web/control/open-context.ts'
import { transcriptSettingsSchema } from '../../../src/web/transcripts/settings.ts'
import { rooms } from '../../support/relay/rooms.ts'

async function spokenIn(transcripts: object, closed: boolean) {
  const talk = await rooms()
  const { relay, clock, join: enter, run, connection } = talk
  const open = await openControlContext({
    relay,
    clock,
    closed,
    codes: new RoomCodes(clock),
    transcripts: transcriptSettingsSchema.parse(transcripts),
    webhooks: [],
    wall: () => Date.now(),
    log: noopLogger,
  })
  enter('anna', { speaks: 'en-us', hears: 'es-es' })
  await run(100)
  connection('en-us', 'es-es').sink.result({
    utterance: '1',
    final: true,
    text: 'a secret',
    translation: 'x',
  })
  /** The replay that a reader of captions would get. */
  let captions = ''
  open.services.captionHub.read('r', { write: text => (captions += text), unread: 0, end() {}, destroy() {} })
  return { ...talk, ...open, captions }
}

test('keeps no speech if no client could request it', async () => {
  const { services, captions, relay, ...open } = await spokenIn({}, true)
  expect(services.transcripts.list()).toEqual([])
  expect(captions).not.toContain('secret')
  await relay.close()
  await open[Symbol.asyncDispose]()
})

test('keeps captions and transcripts if a client can request them', async () => {
  const { services, captions, relay, clock, ...open } = await spokenIn({}, false)
  expect(services.transcripts.of('r')?.entries).toHaveLength(1)
  expect(captions).toContain('a secret')
  await relay.close()
  await open[Symbol.asyncDispose]()
  expect(services.transcripts.list()).toEqual([])
  // No timer and no reader remains.
  expect(clock.pending).toBe(0)
  expect(services.captionHub.readers).toBe(0)
})

test('stores transcripts on disk up to the last word if configured, even without clients that can read them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-floor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { relay, ...open } = await spokenIn({ store: 'disk', folder }, true)
  await relay.close()
  await open[Symbol.asyncDispose]()
  const [file = ''] = await readdir(folder)
  expect(await readFile(join(folder, file), 'utf8')).toContain('a secret')
})

test.each([true, false])(
  'an expired captions link stays expired after the time of the machine was set back, seen before: %s',
  async seen => {
    const { relay, clock, join: enter } = await rooms()
    let offset = 1_800_000_000_000
    const open = await openControlContext({
      relay,
      clock,
      codes: new RoomCodes(clock),
      transcripts: transcriptSettingsSchema.parse({}),
      webhooks: [],
      wall: () => offset + clock.now(),
      log: noopLogger,
    })
    onTestFinished(async () => {
      await relay.close()
      await open[Symbol.asyncDispose]()
    })
    enter('anna', { speaks: 'en-us', hears: 'es-es' })
    const { links } = open.services
    const { token } = links.issue('r', 60_000)
    clock.advance(59_000)
    expect(links.opens(token, 'r')).toBe(true)
    clock.advance(2_000)
    if (seen) expect(links.opens(token, 'r')).toBe(false)
    offset -= 3_600_000
    expect(links.opens(token, 'r')).toBe(false)
    expect(links.leftMs(links.issue('r', 60_000).token, 'r')).toBeCloseTo(60_000, -1)
  },
)
