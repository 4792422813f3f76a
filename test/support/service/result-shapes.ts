import { type ServiceShape, VOICE_FORMS } from '../../../simulator/service/service-shape.ts'

/** A shape, and the requested form of the voice. */
export interface ShapeCell extends Required<ServiceShape> {
  readonly mode: 'block' | 'streaming'
}

const DIMENSIONS = {
  ids: ['utterance', 'none', 'pieces', 'messages', 'session'],
  final: [true, false],
  end: ['id', 'nothing', 'other'],
  parts: ['together', 'apart'],
  fields: ['contract', 'plain', 'odd'],
  form: VOICE_FORMS,
  coding: ['mp3', 'wav', 'pcm'],
  times: [true, false],
  mode: ['block', 'streaming'],
} as const satisfies { readonly [K in keyof ShapeCell]: readonly ShapeCell[K][] }

type Name = keyof ShapeCell
const NAMES = Object.keys(DIMENSIONS) as Name[]

/** Every shape; the dimensions in `without` stay as in the contract. */
export function allShapes(without: readonly Name[] = []): ShapeCell[] {
  let choices: number[][] = [[]]
  for (const name of NAMES) {
    const count = without.includes(name) ? 1 : DIMENSIONS[name].length
    choices = choices.flatMap(chosen => Array.from({ length: count }, (_, n) => [...chosen, n]))
  }
  return choices.map(cellOf)
}

/** Describes the cell, for names of tests. */
export function shapeName(cell: ShapeCell): string {
  return NAMES.map(name =>
    name === 'final' || name === 'times' ? `${cell[name] ? '' : 'no '}${name}` : cell[name],
  ).join(', ')
}

function cellOf(chosen: readonly number[]): ShapeCell {
  return Object.fromEntries(
    NAMES.map((name, n) => [name, DIMENSIONS[name][chosen[n]!]]),
  ) as unknown as ShapeCell
}
