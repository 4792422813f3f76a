import { describe, expect, it } from 'vitest'
import { isSigned, sign } from '../../../../src/bridges/phone/jambonz/dialect.ts'

const NOW = 1_764_000_000
const BODY = '{"call_sid":"c-1"}'

describe('the signature of jambonz', () => {
  it('is HMAC-SHA256 of the time and the body', () => {
    // printf '%s' '1764000000.{"call_sid":"c-1"}' | openssl dgst -sha256 -hmac secret
    expect(sign('secret', BODY, NOW)).toBe(
      't=1764000000,v1=9e663499305ede2066071fc91172e184bc7ab94980a932107598b7f098268d6b',
    )
  })

  it('is accepted with any of the secrets, for 5 minutes', () => {
    const header = sign('old', BODY, NOW)
    expect(isSigned(header, ['new', 'old'], BODY, NOW + 300)).toBe(true)
    expect(isSigned(header, ['new', 'old'], BODY, NOW + 301)).toBe(false)
    expect(isSigned(header, ['new', 'old'], BODY, NOW - 301)).toBe(false)
    expect(isSigned(header, ['new'], BODY, NOW)).toBe(false)
  })

  it('is rejected for another body or time, or in another form', () => {
    const header = sign('secret', BODY, NOW)
    expect(isSigned(header, ['secret'], `${BODY} `, NOW)).toBe(false)
    expect(isSigned(header.replace(`t=${NOW}`, `t=${NOW + 1}`), ['secret'], BODY, NOW)).toBe(false)
    for (const wrong of [undefined, '', `t=,v1=${'0'.repeat(64)}`, header.toUpperCase(), `${header},v1=`])
      expect(isSigned(wrong, ['secret'], BODY, NOW)).toBe(false)
  })
})
