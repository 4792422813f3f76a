import { describe, test } from 'vitest'
import { pairwiseShapes, REFERENCE, shapeName } from '../../support/service/result-shapes.ts'
import { callOfShape } from '../../support/service/shape-call.ts'

// Forms and fields are combined with everything in `utterance-numbers.test.ts`; here those with differences on the wire.
const shapes = [REFERENCE, ...pairwiseShapes({ form: 2, fields: 2, times: 2 })]

describe.concurrent('a call is the same with every shape of service', { timeout: 60_000 }, () => {
  test.each(shapes.map((shape, number) => ({ name: shapeName(shape), shape, number })))(
    '$name',
    ({ shape, number }) => callOfShape(shape, number),
  )
})
