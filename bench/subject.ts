import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Memory } from './messages.ts'

/** What a process under load is told on its command line. */
export interface SubjectOptions {
  /** Address of the scripted service, without namespace. */
  service: string
  /** Numbers that will be called, from 0: number i hears its translation in `languageOf(i)`. */
  numbers: number
  /** How the voice is asked for. */
  mode: 'block' | 'streaming'
  /** Legs 2n and 2n+1 talk to each other; else every leg is alone. */
  pairs: boolean
  /** How loud original voices are. */
  original: 'off' | 'duck'
  /** Has a dashboard. */
  dashboard: boolean
}

/** Said once, when calls are taken. */
export interface Listening {
  kind: 'listening'
  port: number
}

export function subjectOptions(): SubjectOptions {
  const { values } = parseArgs({
    options: {
      service: { type: 'string', default: '' },
      numbers: { type: 'string', default: '0' },
      mode: { type: 'string', default: 'block' },
      pairs: { type: 'boolean', default: false },
      original: { type: 'string', default: 'off' },
      dashboard: { type: 'boolean', default: false },
    },
  })
  const mode = values.mode === 'streaming' ? 'streaming' : 'block'
  const { service, pairs, dashboard } = values
  const original = values.original === 'duck' ? 'duck' : 'off'
  return { service, numbers: Number(values.numbers), mode, pairs, original, dashboard }
}

/** The telephone number of leg `index` (0–999); its last digits tell sessions of different legs apart. */
export function numberOf(index: number): string {
  return `+15005550${String(index).padStart(3, '0')}`
}

/** The language that leg `index` hears: one of its own, so that its session at the service is known. */
export function languageOf(index: number): string {
  return `es-${String(index).padStart(3, '0')}`
}

/** What leg `index` of a pair speaks: nobody else's language. */
export function spokenBy(index: number): string {
  return index % 2 === 0 ? 'en-us' : 'fr-fr'
}

/** The other way round; -1 for any other language. */
export function indexOf(language: string): number {
  const match = /^es-(\d{3})$/.exec(language)
  return match ? Number(match[1]) : -1
}

/** Tells the bench where calls go, says what memory is in use after a collection when asked, and ends this process when the bench does. */
export function announce(port: number): void {
  const listening: Listening = { kind: 'listening', port }
  process.send?.(listening)
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  process.on('message', () => {
    collect()
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
    const memory: Memory = { kind: 'memory', heapUsed, heapTotal, external, arrayBuffers }
    process.send?.(memory)
  })
  process.on('disconnect', () => process.exit(0))
}
