import { randomInt } from 'node:crypto'

const CONSONANTS = 'bdfgklmnprstvz'
const VOWELS = 'aeiou'
const SYLLABLES = 4

/**
 * Returns the name of a new room: two words without a meaning, such as `lumerido kasovine`, that people can read out and
 * recognize in a list. They are drawn from 70⁸ (2⁴⁹), so that two rooms of a fleet never share one.
 */
export function newRoomName(): string {
  return `${word()} ${word()}`
}

function word(): string {
  const letter = (from: string) => from[randomInt(from.length)]!
  return Array.from({ length: SYLLABLES }, () => letter(CONSONANTS) + letter(VOWELS)).join('')
}
