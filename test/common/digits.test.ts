import { expect, test } from 'vitest'
import { asciiDigits } from '../../src/common/digits.ts'

test.each([
  ['482913', '482913'],
  ['٤٨٢٩١٣', '482913'],
  ['۴۸۲۹۱۳', '482913'],
  ['４８２９１３', '482913'],
  ['४८२९१३', '482913'],
  ['𝟒𝟖𝟐𝟗𝟏𝟑', '482913'],
  ['𝟬𝟵𝟶𝟿', '0909'],
  ['①²Ⅷ', '①²Ⅷ'],
])('the digits of %s are %s', (typed, digits) => expect(asciiDigits(typed)).toBe(digits))
