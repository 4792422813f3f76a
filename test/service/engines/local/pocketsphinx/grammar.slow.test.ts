import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../../src/common/clock.ts'
import { PocketSphinx } from '../../../../../src/service/engines/local/pocketsphinx/pocketsphinx.ts'
import { mono, readWav } from '../../../../../src/transcode/wav.ts'
import { ENGINES } from '../../../../support/engines/engine-settings.ts'
import { joined, pause, recording } from '../../../../support/engines/recordings.ts'

const CARDS = '/usr/share/pocketsphinx/test/data/cards'
const installed = existsSync(`${CARDS}/cards.gram`)

/** The book’s sentences, and some that were not spoken. */
const SENTENCES = [
  'he was not an ill disposed young man',
  'he might even have been made amiable himself',
  'she was not a kind old woman',
  'they might never have come home again',
]

const options = {
  ...ENGINES.pocketsphinx,
  decoders: 1,
  grammars: {
    book: { phrases: SENTENCES },
    digits: { phrases: ['one', 'two', 'three'] },
    ...(installed ? { cards: { file: `${CARDS}/cards.gram` } } : {}),
  },
}

let engine: PocketSphinx
beforeAll(async () => {
  engine = await PocketSphinx.create(options, systemClock)
})
afterAll(() => engine.close())

async function heard(pcm: Int16Array, grammar?: string): Promise<string> {
  const finals: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const stream = await engine.open(
    'en-us',
    {
      partial() {},
      final: ({ text }) => {
        finals.push(text)
        resolve()
      },
      failed: error => {
        throw error
      },
    },
    { grammar },
  )
  stream.write(joined(pause(400), pcm, pause(900)))
  await Promise.race([promise, new Promise(done => setTimeout(done, 6_000))])
  while (stream.queuedMs > 0) await new Promise(done => setTimeout(done, 20))
  await stream.close()
  return finals.join(' ')
}

test('recognizes a closed vocabulary word by word, and then the whole language again', async () => {
  expect(await heard(recording(2), 'book')).toBe(SENTENCES[0])
  expect(await heard(recording(5), 'book')).toBe(SENTENCES[1])
  expect(await heard(recording(5))).toBe('he might even have been made amiable himself')
  expect(SENTENCES).not.toContain(await heard(recording(4)))
})

describe.skipIf(!installed)('the cards of the test data', () => {
  const lines = installed ? readFileSync(`${CARDS}/cards.transcription`, 'utf8').trim().split('\n') : []
  const cards = lines.map(line => {
    const [, words = '', file = ''] = /<s>\s*(.*?)\s*<\/s>\s*\((\d+)\)/.exec(line) ?? []
    return { words, pcm: () => mono(readWav(readFileSync(`${CARDS}/${file}.wav`))) }
  })

  test('are recognized far better with their grammar', async () => {
    const right = { open: 0, closed: 0 }
    for (const { words, pcm } of cards) {
      if ((await heard(pcm())) === words) right.open++
      if ((await heard(pcm(), 'cards')) === words) right.closed++
    }
    expect(right.closed).toBeGreaterThanOrEqual(4)
    expect(right.closed).toBeGreaterThan(right.open)
  })
})

test('rejects a missing grammar by name', async () => {
  expect(engine.grammars).toContain('book')
  await expect(heard(pause(100), 'chess')).rejects.toThrow('not chess')
})

test.each([
  [{ wrong: { file: import.meta.filename } }, 'grammars.wrong'],
  [{ odd: { phrases: ['xqzzy plugh'] } }, 'grammars.odd'],
  [{ gone: { file: '/nowhere.gram' } }, '/nowhere.gram'],
])('reports an invalid grammar at startup: %j', async (grammars, told) => {
  await expect(PocketSphinx.create({ ...options, grammars }, systemClock)).rejects.toThrow(told)
})

test('uses the configured grammar for connections that name none', async () => {
  const closed = await PocketSphinx.create({ ...options, grammar: 'book' }, systemClock)
  await closed.close()
  await expect(PocketSphinx.create({ ...options, grammar: 'chess' }, systemClock)).rejects.toThrow('chess')
})
