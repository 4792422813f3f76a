import { expect, test } from 'vitest'
import {
  ClauseCommitter,
  type CommitMode,
} from '../../../../src/service/engines/interpret/clause-committer.ts'

/** `text` at a time (ms of the audio); `!` marks the final, `…` a pause of the speaker. `recognizedMs`: if it is later. */
type Step = readonly [
  ...[endMs: number, text: string, kind?: '!' | '…', stable?: number, recognizedMs?: number],
]

/** Returns the clauses of each step, `|` behind those that end a sentence. */
function clauses(steps: readonly Step[], language = 'en-us', mode: CommitMode = 'clause'): string[][] {
  const committer = new ClauseCommitter(language, mode)
  return steps.map(([endMs, text, kind, stable, recognizedMs]) => {
    const transcript = { utterance: 1, text, startMs: 0, endMs, stable }
    const found =
      kind === '!'
        ? committer.final(transcript)
        : kind === '…'
          ? committer.pause()
          : committer.partial(transcript, recognizedMs)
    return found.map(each => (each.endsSentence ? `${each.text}|` : each.text))
  })
}

test.each<[what: string, steps: Step[], expected: string[][], language?: string, mode?: CommitMode]>([
  [
    'a sentence that two partials agree on',
    [
      [900, 'Good morning.'],
      [1_500, 'Good morning. How'],
      [2_000, 'Good morning. How are you?', '!'],
    ],
    [[], ['Good morning.|'], ['How are you?|']],
  ],
  [
    'a comma after five words, not before',
    [
      [1_000, 'yes, we have seen it, and'],
      [1_500, 'yes, we have seen it, and now'],
    ],
    [[], ['yes, we have seen it,']],
  ],
  [
    'a pause after three words, once all of them are stable',
    [
      [800, 'we have seen'],
      [800, '', '…'],
      [1_000, 'we have seen'],
      [1_000, '', '…'],
    ],
    [[], [], [], ['we have seen']],
  ],
  [
    'three seconds, but not behind a preposition or an article',
    [
      [2_900, 'my mother lives in the'],
      [3_100, 'my mother lives in the house'],
      [3_900, 'my mother lives in the house of her sister', '!'],
    ],
    [[], ['my mother lives'], ['in the house of her sister|']],
  ],
  [
    'ten words, but not behind a number',
    [
      [1_000, 'one two'],
      [2_000, 'my mother and my father and my sister have bought 25 houses', undefined, 50],
      [2_500, 'my mother and my father and my sister have bought 25 houses', undefined, 60],
    ],
    [[], ['my mother and my father and my sister have bought'], []],
  ],
  [
    'what the recognizer says is stable, whatever else it shows',
    [
      [1_000, 'Good morning. How are', undefined, 13],
      [1_500, 'Good morning. How old', undefined, 13],
    ],
    [['Good morning.|'], []],
  ],
  [
    'changed words stay as spoken; the rest is aligned by the last of them',
    [
      [1_000, 'he said that it is late. Then', undefined, 24],
      [2_000, 'he had said that it is late. Then he went home.', '!'],
    ],
    [['he said that it is late.|'], ['Then he went home.|']],
  ],
  [
    'titles, initials and ordinals end no sentence',
    [[2_000, 'On May 3. Dr. J. Smith came. We left.', '!']],
    [['On May 3. Dr. J. Smith came.|', 'We left.|']],
  ],
  [
    'sentences only, for languages that end with the verb',
    [
      [3_500, 'ich habe gestern, wie du weißt, ein Buch gelesen. Es', undefined, 52],
      [4_000, 'ich habe gestern, wie du weißt, ein Buch gelesen. Es war gut.', '!'],
    ],
    [['ich habe gestern, wie du weißt, ein Buch gelesen.|'], ['Es war gut.|']],
    'de-de',
    'sentence',
  ],
  [
    'three seconds of speech, of which a slow recognizer knows two',
    [
      [1_900, 'my mother lives here', undefined, undefined, 2_700],
      [2_300, 'my mother lives here and there', undefined, undefined, 3_100],
    ],
    [[], ['my mother lives here']],
  ],
  [
    'languages without blanks',
    [
      [2_000, '今日はいい天気です。明日', undefined, 12],
      [3_000, '今日はいい天気です。明日も晴れます。', '!'],
    ],
    [['今日はいい天気です。|'], ['明日も晴れます。|']],
    'ja-jp',
    'sentence',
  ],
  [
    'nothing but the whole utterance',
    [
      [1_000, 'One. Two'],
      [2_000, 'One. Two.', '!'],
    ],
    [[], ['One. Two.|']],
    'en-us',
    'utterance',
  ],
])('commits %s', (_, steps, expected, language, mode) => {
  expect(clauses(steps, language, mode)).toEqual(expected)
})

test('a final of an utterance that was spoken completely ends its sentence, and counts the changed words', () => {
  const committer = new ClauseCommitter('en-us', 'clause')
  const at = (text: string, stable?: number) => ({ utterance: 1, text, startMs: 100, endMs: 4_000, stable })
  expect(committer.partial(at('my mother lives near Leeds', 26))).toMatchObject([
    { endsSentence: false, startMs: 100 },
  ])
  const [rest] = committer.final(at('my brother lives near Leeds'))
  expect(rest).toMatchObject({
    text: '',
    sentence: 'my brother lives near Leeds',
    endsSentence: true,
    endMs: 4_000,
  })
  expect(committer.changedWords).toBe(1)
})
