import { expect, test } from 'vitest'
import { SealedBox } from '../../src/common/sealed-box.ts'

const box = new SealedBox('a secret')

test('opens what was sealed at the same place with the same secret', () => {
  const sealed = box.seal('482 913', 'place')
  expect(sealed).toMatch(/^[\w-]+$/)
  expect(sealed).not.toBe(box.seal('482 913', 'place'))
  expect(new SealedBox('a secret').open(sealed, 'place')).toBe('482 913')
  expect(box.open(sealed, 'another place')).toBeUndefined()
  expect(new SealedBox('another secret').open(sealed, 'place')).toBeUndefined()
})

test.each(['', 'short', 'x'.repeat(60)])('does not open %j', text => {
  expect(box.open(text, 'place')).toBeUndefined()
})

test('does not open a text of which a byte was changed', () => {
  const bytes = Buffer.from(box.seal('482 913', 'place'), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(box.open(changed.toString('base64url'), 'place')).toBeUndefined()
  }
})
