import { describe, expect, test } from 'vitest'
import { allShapes, shapeName } from '../../support/service/result-shapes.ts'
import { callOfShape } from '../../support/service/shape-call.ts'

/** Concurrent calls: each takes about three seconds of real time. */
const AT_ONCE = 24

describe('a call is the same with every shape of service', () => {
  const shapes = allShapes(['fields', 'times', 'form']).flatMap((shape, n) => {
    const form = (['buffer', 'base64', 'json', 'numbers', 'arraybuffer'] as const)[n % 5]!
    const fields = (['contract', 'plain', 'odd'] as const)[n % 3]!
    return [{ ...shape, form, fields, times: n % 2 === 0 }]
  })
  for (let from = 0; from < shapes.length; from += AT_ONCE)
    test(`${from + 1} to ${Math.min(from + AT_ONCE, shapes.length)}: ${shapeName(shapes[from]!)} …`, async () => {
      const calls = shapes.slice(from, from + AT_ONCE).map((shape, n) => callOfShape(shape, from + n))
      for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({ status: 'fulfilled' })
    })
})
