import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The part of a `.cpuprofile` that is read; `timeDeltas` are microseconds. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

/** Shares of the non-idle JavaScript time, largest first. */
export interface ProfileReport {
  packages: Share[]
  functions: Share[]
}

export interface Share {
  name: string
  /** 0–1 */
  share: number
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Part of a profile, milliseconds since its start. */
export interface ProfilePart {
  readonly fromMs: number
  readonly untilMs: number
}

/** Reads the newest `.cpuprofile` in `folder`: self time in `part` by package or layer, and by function. */
export function reportProfile(folder: string, part: ProfilePart, most = 30): ProfileReport {
  const name = readdirSync(folder)
    .filter(file => file.endsWith('.cpuprofile'))
    .sort()
    .at(-1)
  if (!name) throw new Error(`no .cpuprofile in ${folder}`)
  return sharesOf(JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile, part, most)
}

/** Self time in `part` of a profile, without idle time. */
export function sharesOf(profile: CpuProfile, { fromMs, untilMs }: ProfilePart, most = 30): ProfileReport {
  const nodes = new Map(profile.nodes.map(node => [node.id, node.callFrame]))
  const packages = new Map<string, number>()
  const functions = new Map<string, number>()
  let busy = 0
  let atMs = 0
  profile.samples.forEach((id, i) => {
    const frame = nodes.get(id)
    const time = profile.timeDeltas[i] ?? 0
    atMs += time / 1000
    if (!frame || frame.functionName === '(idle)' || atMs < fromMs || atMs > untilMs) return
    busy += time
    const origin = originOf(frame.functionName, frame.url)
    const called = frame.functionName || `(anonymous) line ${frame.lineNumber + 1}`
    packages.set(origin, (packages.get(origin) ?? 0) + time)
    functions.set(`${origin}  ${called}`, (functions.get(`${origin}  ${called}`) ?? 0) + time)
  })
  return { packages: largest(packages, busy, most), functions: largest(functions, busy, most) }
}

/** `ws`, `src/core/playout/playout.ts`, `node:net`, or the profiler's own names: `(program)`, `(garbage collector)`. */
function originOf(called: string, url: string): string {
  if (url === '') return called.startsWith('(') ? called : '(native)'
  if (url.startsWith('data:')) return '(embedded)'
  const module = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)
  if (module?.[1]) return module[1]
  const path = url.startsWith('file:') ? fileURLToPath(url) : url
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : path
}

function largest(times: ReadonlyMap<string, number>, busy: number, most: number): Share[] {
  const shares = Array.from(times, ([name, time]) => ({ name, share: time / busy }))
  return shares.sort((a, b) => b.share - a.share).slice(0, most)
}
