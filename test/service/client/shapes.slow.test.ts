import { describe, expect, test } from 'vitest'
import { expectAlike } from '../../support/service/result-shape-script.ts'
import { allShapes } from '../../support/service/result-shapes.ts'

describe('every shape of service', () => {
  // The reader ignores the times in results.
  const shapes = allShapes(['times'])
  test.each([...Map.groupBy(shapes, ({ ids, mode, form }) => `${ids}, ${mode}, ${form}`)])(
    '%s',
    (_, cells) => {
      for (const cell of cells) expectAlike(cell)
    },
  )
  test('covers every combination', () => expect(shapes).toHaveLength(7_560))
})
