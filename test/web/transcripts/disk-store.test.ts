import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DiskStore } from '../../../src/web/transcripts/disk-store.ts'
import { LogLines } from '../../support/log-lines.ts'

const any = (maxLength = 40) => fc.string({ unit: 'binary', maxLength })
const entry = fc.record(
  {
    ...{ utterance: any(), speaker: any(), name: any(), from: any(), to: any() },
    ...{ text: any(400), translation: any(400), system: fc.constant(true as const) },
    ...{ startMs: fc.nat(), endMs: fc.nat() },
  },
  { requiredKeys: ['utterance', 'speaker', 'from', 'to', 'text', 'translation', 'startMs', 'endMs'] },
)
const room = fc.oneof(any(), any(5_000), fc.constant('\u0000'.repeat(5_000)))

test('reads everything back after a restart, and deletes it on time', async () => {
  const parts = { wall: () => 1_000_000, log: new LogLines(), keepMs: 1e15 }
  await fc.assert(
    fc.asyncProperty(
      room,
      fc.uniqueArray(entry, { minLength: 1, maxLength: 5, selector: e => e.utterance }),
      async (name, entries) => {
        const folder = await mkdtemp(join(tmpdir(), 'shelf-'))
        try {
          const id = 'a'.repeat(20)
          const life = { id, room: name, openedAt: '2026-01-02T03:04:05.000Z', openedAtMs: 0 }
          const writer = (await DiskStore.open(folder, parts)).begin(life)
          for (const each of entries) writer.write(each)
          await writer.finish({ ...life, entries, dropped: 0 })
          const next = await DiskStore.open(folder, parts)
          expect(next.list()).toMatchObject([{ id, room: name }])
          const read = await next.read(id)
          const byName = (a: { utterance: string }, b: { utterance: string }) =>
            a.utterance < b.utterance ? -1 : 1
          expect([...(read?.entries ?? [])].sort(byName)).toEqual([...entries].sort(byName))
        } finally {
          await rm(folder, { recursive: true })
        }
      },
    ),
    { numRuns: 30 },
  )
})
