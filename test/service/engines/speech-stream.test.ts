import { expect, test } from 'vitest'
import { primedSpeech } from '../../../src/service/engines/engine.ts'

function talker(pieces: number, failsAt = -1) {
  const seen = { ended: false }
  async function* talk(): AsyncGenerator<Int16Array> {
    try {
      for (let n = 0; n < pieces; n++) {
        if (n === failsAt) throw new Error('broken')
        yield Int16Array.of(n)
      }
    } finally {
      seen.ended = true
    }
  }
  return { talk, seen }
}

test.each([0, 1, 3])('%i pieces arrive completely and in order', async count => {
  const { talk, seen } = talker(count)
  const { rate, pieces } = await primedSpeech(talk(), () => 16_000)
  const heard: number[] = []
  for await (const piece of pieces) heard.push(...piece)
  expect({ rate, heard }).toEqual({ rate: 16_000, heard: Array.from({ length: count }, (_, n) => n) })
  expect(seen.ended).toBe(true)
})

test('reports a failure of the first piece at once, and of a later piece when it is reached', async () => {
  await expect(primedSpeech(talker(2, 0).talk(), () => 1)).rejects.toThrow('broken')
  const { pieces } = await primedSpeech(talker(2, 1).talk(), () => 1)
  const heard = (async () => {
    for await (const _piece of pieces);
  })()
  await expect(heard).rejects.toThrow('broken')
})

test.each([1, 2])('ends the synthesis when the reader stops at piece %i', async stopAt => {
  const { talk, seen } = talker(5)
  const { pieces } = await primedSpeech(talk(), () => 1)
  let count = 0
  for await (const _piece of pieces) if (++count === stopAt) break
  expect(seen.ended).toBe(true)
})
