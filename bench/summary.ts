import type { Subject } from './options.ts'
import { mean } from './stats.ts'
import { table } from './table.ts'
import type { Window } from './window.ts'

/** The combined windows of one subject at one number of legs: means of figures, sums of faults. */
export interface LegRow {
  subject: Subject
  legs: number
  windows: number
  cpuMs: number
  /** CPU of the bridge relative to that of the floor; 1 for the floor. */
  ratio: number
  systemMs: number
  corePercent: number
  rssMiB: number
  rssPerLegKiB: number
  uplinkP50Ms: number
  uplinkP99Ms: number
  downlinkP50Ms: number
  downlinkP99Ms: number
  latenessP99Ms: number
  soundPercent: number
  gaps: number
  framesLost: number
  legsLost: number
  refused: number
  messagesPerLegSecond: number
  loadCorePercent: number
  senderP99Ms: number
  /** Share of the busier core that other processes used: noise. */
  foreignPercent: number
}

export function summarise(windows: readonly Window[]): LegRow[] {
  const rows: LegRow[] = []
  for (const legs of new Set(windows.map(window => window.legs)))
    for (const subject of ['floor', 'bridge'] as const) {
      const own = windows.filter(window => window.legs === legs && window.subject === subject)
      if (own.length === 0) continue
      const floor = windows.filter(window => window.legs === legs && window.subject === 'floor')
      rows.push(rowOf(own, floor))
    }
  return rows
}

function rowOf(own: readonly Window[], floor: readonly Window[]): LegRow {
  const average = (figure: (window: Window) => number) => mean(own.map(figure))
  const sum = (figure: (window: Window) => number) => own.reduce((total, window) => total + figure(window), 0)
  const cpuMs = average(window => window.cpuMs)
  return {
    subject: own[0]!.subject,
    legs: own[0]!.legs,
    windows: own.length,
    cpuMs,
    ratio: cpuMs / mean(floor.map(window => window.cpuMs)),
    systemMs: average(window => window.systemMs),
    corePercent: average(window => window.corePercent),
    rssMiB: average(window => window.rssMiB),
    rssPerLegKiB: average(window => window.rssPerLegKiB),
    uplinkP50Ms: average(window => window.figures.uplinkMs.p50),
    uplinkP99Ms: average(window => window.figures.uplinkMs.p99),
    downlinkP50Ms: average(window => window.figures.downlinkMs.p50),
    downlinkP99Ms: average(window => window.figures.downlinkMs.p99),
    latenessP99Ms: average(window => window.figures.latenessMs.p99),
    soundPercent: average(window => window.figures.soundPercent),
    gaps: sum(window => window.figures.gaps),
    framesLost: sum(window => window.figures.framesLost),
    legsLost: sum(window => window.figures.legsLost),
    refused: sum(window => window.figures.refused),
    messagesPerLegSecond: average(window => window.figures.messagesPerLegSecond),
    loadCorePercent: average(window => window.loadCorePercent),
    senderP99Ms: average(window => window.figures.senderMs.p99),
    foreignPercent: average(({ foreignPercent }) =>
      Math.max(foreignPercent.subjectCore, foreignPercent.loadCore),
    ),
  }
}

/** Answers last 88 % of the time; a lower share means losses, which improve the other figures. */
const SOUND_PERCENT = 85

/** Remarks about figures that need an explanation; one line each. */
export function remarks(rows: readonly LegRow[]): string[] {
  return rows.flatMap(({ subject, legs, soundPercent, legsLost, refused }) => {
    const about = `${subject} with ${legs} legs`
    return [
      ...(soundPercent < SOUND_PERCENT ? [`${about}: sound is missing, its CPU is not comparable`] : []),
      ...(legsLost > 0 ? [`${about}: ${legsLost} calls broke`] : []),
      ...(refused > 0 ? [`${about}: phones refused ${refused} kinds of messages`] : []),
    ]
  })
}

const HEAD = [
  'subject',
  'legs',
  'CPU ms/leg-s',
  '× floor',
  'core %',
  'RSS MiB',
  'KiB/leg',
  'uplink p50',
  'p99 ms',
  'downlink p50',
  'p99 ms',
  'late p99 ms',
  'sound %',
  'gaps',
  'lost frames',
  'load core %',
  'load late p99 ms',
  'others %',
]

export function legTable(rows: readonly LegRow[]): string {
  return table(
    HEAD,
    rows.map(row => [
      row.subject,
      row.legs,
      row.cpuMs,
      row.ratio,
      row.corePercent,
      row.rssMiB,
      row.rssPerLegKiB,
      row.uplinkP50Ms,
      row.uplinkP99Ms,
      row.downlinkP50Ms,
      row.downlinkP99Ms,
      row.latenessP99Ms,
      row.soundPercent,
      row.gaps,
      row.framesLost,
      row.loadCorePercent,
      row.senderP99Ms,
      row.foreignPercent,
    ]),
  )
}
