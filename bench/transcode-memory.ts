import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { MPEGDecoder } from 'mpg123-decoder'
import type { Mp3Backend } from '../src/transcode/mp3/decoder.ts'
import { Mp3Pool } from '../src/transcode/mp3/decoder-pool.ts'
import { Mp3Native } from '../src/transcode/mp3/mpg123-native.ts'
import { Mp3Wasm } from '../src/transcode/mp3/mpg123-wasm.ts'
import { Mp3Stream } from '../src/transcode/mp3/stream.ts'
import type { Row } from './alternate.ts'
import { chunksAt } from './transcode-mp3.ts'

const STREAMS = 300
const FIRST_CHUNKS = 10
const KINDS = ['native', 'wasm', 'mpg123-decoder'] as const
type Kind = (typeof KINDS)[number]

/** Resident memory of each of 300 streams in the middle of an utterance, each kind in a separate process. */
export function memoryRows(): Row[] {
  const file = fileURLToPath(import.meta.url)
  const measured = KINDS.map(kind => ({
    kind,
    kib: Number(execFileSync(process.execPath, ['--expose-gc', file, kind], { encoding: 'utf8' })),
  })).filter(({ kib }) => kib > 0)
  return measured.map(({ kind, kib }) => ({
    what: 'mp3 memory',
    candidate: kind === 'mpg123-decoder' ? kind : `Mp3Stream, ${kind}`,
    value: kib,
    unit: `KiB resident, each of ${STREAMS}`,
    ratio: kib / measured[0]!.kib,
  }))
}

async function measure(kind: Kind): Promise<number> {
  const chunks = (await chunksAt(24_000)).slice(0, FIRST_CHUNKS)
  const backend = kind === 'native' ? await Mp3Native.open() : new Mp3Wasm()
  if (!backend) return 0
  const kept: unknown[] = []
  const add =
    kind === 'mpg123-decoder' ? () => addDecoder(chunks, kept) : await streams(backend, chunks, kept)
  await add()
  const before = resident()
  for (let i = 0; i < STREAMS; i++) await add()
  return Math.round((resident() - before) / 1024 / STREAMS)
}

async function streams(
  backend: Mp3Backend,
  chunks: readonly Uint8Array[],
  kept: unknown[],
): Promise<() => Promise<void>> {
  const pool = new Mp3Pool({ max: STREAMS + 1, spare: 1, backend })
  return async () => {
    await pool.ready(1)
    const stream = new Mp3Stream(pool, () => {})
    for (const chunk of chunks) stream.write(chunk)
    if (stream.decode() !== 'idle') throw new Error('no decoder')
    kept.push(stream)
  }
}

async function addDecoder(chunks: readonly Uint8Array[], kept: unknown[]): Promise<void> {
  const decoder = new MPEGDecoder()
  await decoder.ready
  for (const chunk of chunks) decoder.decode(chunk)
  kept.push(decoder)
}

function resident(): number {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await measure(process.argv[2] as Kind))
