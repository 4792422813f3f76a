import { growthOf, type MemorySample } from './rss-log.ts'
import { mean, median } from './stats.ts'
import { SUBJECTS, type Subject } from './subjects.ts'
import type { Window } from './window.ts'

/** The combined windows of one subject at one number of legs: means of figures, sums of faults. */
export interface LegRow {
  subject: Subject
  legs: number
  windows: number
  cpuMs: number
  userMs: number
  systemMs: number
  /** CPU relative to that of the floor, and of the floor with the bridge's signaling; NaN if not measured. */
  ratio: number
  ratioToLead: number
  corePercent: number
  rssMiB: number
  /** (RSS at N − RSS at 0) / N. */
  rssPerLegKiB: number
  /** (RSS at N − RSS at the smallest number M of legs) / (N − M); NaN for the smallest. */
  rssGrowthKiB: number
  uplinkP50Ms: number
  uplinkP99Ms: number
  uplinkMaxMs: number
  uplinkOverPlaybackP50Ms: number
  speechEndP50Ms: number
  speechEndP99Ms: number
  uplinkOverPlaybackP99Ms: number
  downlinkP50Ms: number
  downlinkP99Ms: number
  latenessP99Ms: number
  soundPercent: number
  gaps: number
  longestGapMs: number
  framesLost: number
  legsLost: number
  refused: number
  messagesPerLegSecond: number
  loadCorePercent: number
  senderP99Ms: number
  /** Share of the busier core that other processes used: noise. */
  foreignPercent: number
  /** With `--observe`, otherwise NaN: share of the time in garbage collection, the longest one, and timer delay. */
  gcPercent: number
  longestGcMs: number
  loopP99Ms: number
  loopMaxMs: number
  /** In a long run, otherwise NaN: growth of the memory in its last five minutes. */
  endGrowthMiB: number
  endGrowthPercent: number
  rss: readonly MemorySample[]
}

/** One row for each number of legs and subject, in the order of the numbers and of `SUBJECTS`. */
export function summarise(windows: readonly Window[]): LegRow[] {
  const numbers = Array.from(new Set(windows.map(window => window.legs))).sort((a, b) => a - b)
  return numbers.flatMap(legs =>
    SUBJECTS.flatMap(subject => {
      const own = windows.filter(window => window.legs === legs && window.subject === subject)
      return own.length === 0 ? [] : [rowOf(own, windows)]
    }),
  )
}

/** CPU of a node of a fleet relative to `served`, for each number of legs: window by window, as taken in turn. */
export function fleetRatios(windows: readonly Window[]): { legs: number; each: number[]; median: number }[] {
  const numbers = Array.from(new Set(windows.map(window => window.legs))).sort((a, b) => a - b)
  return numbers.flatMap(legs => {
    const cpuOf = (subject: Subject) =>
      windows.filter(each => each.legs === legs && each.subject === subject).map(({ cpuMs }) => cpuMs)
    const [alone, nodes] = [cpuOf('served'), cpuOf('served-fleet')]
    const each = nodes.slice(0, alone.length).map((cpuMs, at) => cpuMs / alone[at]!)
    return each.length === 0 ? [] : [{ legs, each, median: median(each) }]
  })
}

function rowOf(own: readonly Window[], all: readonly Window[]): LegRow {
  const { subject, legs } = own[0]!
  const average = (figure: (window: Window) => number) => mean(own.map(figure))
  const sum = (figure: (window: Window) => number) => own.reduce((total, window) => total + figure(window), 0)
  const most = (figure: (window: Window) => number) => Math.max(...own.map(figure))
  const cpuMs = average(window => window.cpuMs)
  const cpuOf = (other: Subject) =>
    mean(all.filter(each => each.legs === legs && each.subject === other).map(each => each.cpuMs))
  const growth = growthOf(own.at(-1)!.rss)
  return {
    subject,
    legs,
    windows: own.length,
    cpuMs,
    userMs: average(window => window.userMs),
    systemMs: average(window => window.systemMs),
    ratio: cpuMs / cpuOf('floor'),
    ratioToLead: cpuMs / cpuOf('floor-lead'),
    corePercent: average(window => window.corePercent),
    rssMiB: average(window => window.rssMiB),
    rssPerLegKiB: average(window => window.rssPerLegKiB),
    rssGrowthKiB: rssGrowth(own, all),
    uplinkP50Ms: average(window => window.figures.uplinkMs.p50),
    uplinkP99Ms: average(window => window.figures.uplinkMs.p99),
    uplinkMaxMs: most(window => window.figures.uplinkMs.max),
    uplinkOverPlaybackP50Ms: average(window => window.figures.uplinkOverPlaybackMs.p50),
    uplinkOverPlaybackP99Ms: average(window => window.figures.uplinkOverPlaybackMs.p99),
    speechEndP50Ms: average(window => window.figures.speechEndMs.p50),
    speechEndP99Ms: average(window => window.figures.speechEndMs.p99),
    downlinkP50Ms: average(window => window.figures.downlinkMs.p50),
    downlinkP99Ms: average(window => window.figures.downlinkMs.p99),
    latenessP99Ms: average(window => window.figures.latenessMs.p99),
    soundPercent: average(window => window.figures.soundPercent),
    gaps: sum(window => window.figures.gaps),
    longestGapMs: most(window => window.figures.longestGapMs),
    framesLost: sum(window => window.figures.framesLost),
    legsLost: sum(window => window.figures.legsLost),
    refused: sum(window => window.figures.refused),
    messagesPerLegSecond: average(window => window.figures.messagesPerLegSecond),
    loadCorePercent: average(window => window.loadCorePercent),
    senderP99Ms: average(window => window.figures.senderMs.p99),
    foreignPercent: average(({ foreignPercent }) =>
      Math.max(foreignPercent.subjectCore, foreignPercent.loadCore),
    ),
    gcPercent: average(({ observed, windowMs }) => ((observed?.gcMs ?? Number.NaN) / windowMs) * 100),
    longestGcMs: most(({ observed }) => observed?.longestGcMs ?? Number.NaN),
    loopP99Ms: average(({ observed }) => observed?.loopP99Ms ?? Number.NaN),
    loopMaxMs: most(({ observed }) => observed?.loopMaxMs ?? Number.NaN),
    endGrowthMiB: growth?.mib ?? Number.NaN,
    endGrowthPercent: growth?.percent ?? Number.NaN,
    rss: own.at(-1)!.rss,
  }
}

/** Growth of the memory per leg between the smallest number of legs and this one. */
function rssGrowth(own: readonly Window[], all: readonly Window[]): number {
  const { subject, legs } = own[0]!
  const others = all.filter(window => window.subject === subject)
  const least = Math.min(...others.map(window => window.legs))
  if (least === legs) return Number.NaN
  const rssKiB = (windows: readonly Window[]) => mean(windows.map(window => window.rssMiB)) * 1024
  return (rssKiB(own) - rssKiB(others.filter(window => window.legs === least))) / (legs - least)
}
