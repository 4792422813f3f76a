import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Memory } from './messages.ts'

/** Command line of a process under load. */
export interface SubjectOptions {
  /** Address of the scripted service, without namespace. */
  service: string
  /** Called numbers, from 0: number i hears its translation in `languageOf(i)`. */
  numbers: number
  /** Requested form of the voice. */
  mode: 'block' | 'streaming'
  /** Legs 2n and 2n+1 talk to each other; otherwise every leg is alone. */
  pairs: boolean
  /** Level of original voices. */
  original: 'off' | 'duck'
}

/** Sent once, when calls are accepted. */
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
    },
  })
  const mode = values.mode === 'streaming' ? 'streaming' : 'block'
  const { service, pairs } = values
  const original = values.original === 'duck' ? 'duck' : 'off'
  return { service, numbers: Number(values.numbers), mode, pairs, original }
}

/** The phone number of leg `index` (0–999); its last digits distinguish the sessions of different legs. */
export function numberOf(index: number): string {
  return `+15005550${String(index).padStart(3, '0')}`
}

/** The unique language that leg `index` hears, which identifies its session at the service. */
export function languageOf(index: number): string {
  return `es-${String(index).padStart(3, '0')}`
}

/** The unique language that leg `index` of a pair speaks. */
export function spokenBy(index: number): string {
  return index % 2 === 0 ? 'en-us' : 'fr-fr'
}

/** The inverse; -1 for any other language. */
export function indexOf(language: string): number {
  const match = /^es-(\d{3})$/.exec(language)
  return match ? Number(match[1]) : -1
}

/** Reports the port to the bench, reports memory after a collection on request, and ends this process with the bench. */
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
