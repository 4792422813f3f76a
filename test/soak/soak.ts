import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Leftovers of many calls when all of them are over. */
export interface SoakReport {
  readonly seed: number
  readonly calls: number
  readonly seconds: number
  readonly faults: Readonly<Record<string, number>>
  readonly sessions: number
  /** Objects of calls that are still in memory, by class. */
  readonly left: readonly string[]
  /** True if an object that is retained on purpose is found. */
  readonly seesOne: boolean
  /** These are the maximum at any time without a participant. */
  readonly rooms: number
  readonly replayFragments: number
  /** Translations that wait for the decoder. */
  readonly decoding: number
  /** Decoders of mp3. */
  readonly decoders: number
  /** The relay's own, without participants. */
  readonly timersWhileIdle: number
  readonly timersAfterwards: number
  readonly before: { readonly handles: string; readonly files: number }
  readonly after: { readonly handles: string; readonly files: number }
  /** Memory in use after garbage collection, at intervals. */
  readonly heap: readonly { readonly calls: number; readonly bytes: number }[]
}

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))

interface SoakOptions {
  readonly calls: number
  readonly mostSeconds: number
}

/** Runs `calls` set-ups and tear-downs, or as many as start within `mostSeconds`, in a separate process. */
export async function soak(
  kind: 'rooms' | 'streams',
  { seed, ...options }: SoakOptions & { seed: number },
): Promise<SoakReport> {
  return (await soakAll(kind, [seed], options))[0]!
}

/** The same with one seed after the other, up to the first with leftovers. */
export async function soakAll(
  kind: 'rooms' | 'streams',
  seeds: readonly number[],
  { calls, mostSeconds }: SoakOptions,
): Promise<SoakReport[]> {
  const args = [CHILD, kind, seeds.join(), calls, mostSeconds].map(String)
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 })
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as SoakReport)
}

/** The command that reproduces what `seed` found. */
export function again(seed: number): string {
  return `seed ${seed}: DRAGOMAN_FUZZ_SEED=${seed} npx vitest run test/soak/soak.slow.test.ts`
}

/** Bytes left over by each call: the slope through the second half of the measurements. */
export function bytesPerCall({ heap }: SoakReport): number {
  const half = heap.slice(Math.floor(heap.length / 2))
  const mean = (of: (at: (typeof half)[number]) => number) =>
    half.reduce((sum, at) => sum + of(at), 0) / half.length
  const calls = mean(at => at.calls)
  const bytes = mean(at => at.bytes)
  let top = 0
  let bottom = 0
  for (const at of half) {
    top += (at.calls - calls) * (at.bytes - bytes)
    bottom += (at.calls - calls) ** 2
  }
  return bottom === 0 ? 0 : top / bottom
}

/** Describes everything that exists after the calls and did not exist before. */
export function leftovers({
  left,
  rooms,
  replayFragments,
  decoding,
  decoders,
  timersWhileIdle,
  timersAfterwards,
  before,
  after,
}: SoakReport): string[] {
  return [
    ...left,
    ...(rooms > 0 ? [`${rooms} rooms`] : []),
    ...(replayFragments > 0 ? [`${replayFragments} fragments`] : []),
    ...(decoding > 0 ? [`${decoding} translations being decoded`] : []),
    ...(decoders > 0 ? [`${decoders} decoders`] : []),
    ...(timersWhileIdle > 0 ? [`${timersWhileIdle} timers without participants`] : []),
    ...(timersAfterwards > 0 ? [`${timersAfterwards} timers`] : []),
    ...(after.handles === before.handles ? [] : [`handles ${after.handles}, before ${before.handles}`]),
    ...(after.files === before.files ? [] : [`${after.files} open files, before ${before.files}`]),
  ]
}
