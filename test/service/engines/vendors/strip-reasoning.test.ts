import { expect, test } from 'vitest'
import { translationIn } from '../../../../src/service/engines/vendors/openai/chat-translator.ts'

const SAID = 'Good morning, where is the station?'
const WANTED = 'Buenos días, ¿dónde está la estación?'

test.each([
  WANTED,
  `  ${WANTED}\n`,
  `"${WANTED}"`,
  `«${WANTED}»`,
  `Translation: ${WANTED}`,
  `Spanish: ${WANTED}`,
  `Spanish (Spain): ${WANTED}`,
  `Sure! Here is the translation:\n\n${WANTED}`,
  `Here's the Spanish translation: "${WANTED}"`,
  `<think>They ask for the station. "Estación".</think>\n${WANTED}`,
  `They ask for the station.</think>${WANTED}`,
  `<said>${WANTED}</said>`,
  '```\n'.concat(WANTED, '\n```'),
  `${WANTED}\n\nNote: "usted" could be used as well.`,
  `${WANTED} (Note: formal)`,
  `${WANTED}\n(Literally: good days …)`,
])('keeps only the translation of %j', answer => {
  expect(translationIn(answer, SAID)).toBe(WANTED)
})

test('keeps quotation marks and colons of the original', () => {
  expect(translationIn('"Sí" y "no"', '"Yes" and "no"')).toBe('"Sí" y "no"')
  expect(translationIn('"Hola"', '"Hello"')).toBe('"Hola"')
  expect(translationIn('Pregunta: ¿dónde está?', 'Question: where is it?')).toBe('Pregunta: ¿dónde está?')
})

test.each(['', '   ', '…', '<think>They ask', 'word '.repeat(200)])('%j is not a translation', answer => {
  expect(translationIn(answer, SAID)).toBeUndefined()
})
