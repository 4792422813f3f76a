import { describe, test } from 'vitest'
import { ECHO_DB, expectOneTranslation, KINDS, ORIGINALS } from '../../../support/relay/echo-cases.ts'

/** All combinations of one-sentence.test.ts. */
describe.each(Object.keys(KINDS))('by %s one sentence is translated once', kind => {
  describe.each(ECHO_DB)('with an echo of %d dB', db => {
    test.each(ORIGINALS)('original: %s', async original => {
      await expectOneTranslation(kind, db, original)
    })
  })
})
