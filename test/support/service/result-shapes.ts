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

/** The reference for all comparisons, as specified in `docs/service/protocol.md`. */
export const REFERENCE: ShapeCell = cellOf(NAMES.map(() => 0))

/** Every shape; the dimensions in `without` stay as in the contract. */
export function allShapes(without: readonly Name[] = []): ShapeCell[] {
  let choices: number[][] = [[]]
  for (const name of NAMES) {
    const count = without.includes(name) ? 1 : DIMENSIONS[name].length
    choices = choices.flatMap(chosen => Array.from({ length: count }, (_, n) => [...chosen, n]))
  }
  return choices.map(cellOf)
}

/**
 * Shapes in which every two values of different dimensions meet at least once: greedy, the same each time. `limits`: how many
 * values of a dimension are used.
 */
export function pairwiseShapes(limits: { readonly [K in Name]?: number } = {}): ShapeCell[] {
  const open = new Set<string>()
  const pairsOf = (chosen: readonly number[]) => {
    const pairs: string[] = []
    for (let a = 0; a < chosen.length; a++)
      for (let b = a + 1; b < chosen.length; b++) pairs.push(`${a}=${chosen[a]} ${b}=${chosen[b]}`)
    return pairs
  }
  const sizes = NAMES.map(name => Math.min(DIMENSIONS[name].length, limits[name] ?? Infinity))
  for (let a = 0; a < sizes.length; a++)
    for (let b = a + 1; b < sizes.length; b++)
      for (let x = 0; x < sizes[a]!; x++) for (let y = 0; y < sizes[b]!; y++) open.add(`${a}=${x} ${b}=${y}`)
  const cells: number[][] = []
  let seed = 1
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 16) % below
  }
  while (open.size > 0) {
    let best: { chosen: number[]; covers: number } | undefined
    for (let tries = 0; tries < 400; tries++) {
      const chosen = sizes.map(random)
      const covers = pairsOf(chosen).filter(pair => open.has(pair)).length
      if (!best || covers > best.covers) best = { chosen, covers }
    }
    if (!best || best.covers === 0) continue
    cells.push(best.chosen)
    for (const pair of pairsOf(best.chosen)) open.delete(pair)
  }
  return cells.map(cellOf)
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
