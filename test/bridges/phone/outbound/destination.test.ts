import { describe, expect, it } from 'vitest'
import { destinationFault } from '../../../../src/bridges/phone/outbound/destination.ts'

const ANYWHERE = { allowedPrefixes: ['+'], own: [] }

describe('a destination', () => {
  it('is accepted if its prefix is allowed', () => {
    const rules = { allowedPrefixes: ['+34', '+1212'], own: [] }
    expect(destinationFault('+34612345678', rules)).toBeUndefined()
    expect(destinationFault('+12125550123', rules)).toBeUndefined()
    expect(destinationFault('+13105550123', rules)).toBe('not under an allowed prefix')
    expect(destinationFault('+34612345678', { ...rules, allowedPrefixes: [] })).toBe(
      'no destination is allowed',
    )
  })

  it('can be one of Twilio’s test numbers', () => {
    expect(destinationFault('+15005550006', ANYWHERE)).toBeUndefined()
    expect(destinationFault('+15551230001', ANYWHERE)).toBeUndefined()
  })

  it.each([
    '112',
    '911',
    '+112',
    '+911',
    '+1911',
    '+34112',
    '+44999',
    '+49110',
    '+3461234567',
    '+346123456789012',
  ])('is not an emergency or short number: %s', to => {
    expect(destinationFault(to, ANYWHERE)).toMatch(/too short or too long|not a number such as/)
  })

  it.each(['+19005550006', '+34803123456', '+34901234567', '+491371234567', '+448431234567', '+3389123456'])(
    'is not a number that costs more than a call: %s',
    to => {
      expect(destinationFault(to, ANYWHERE)).toBeDefined()
    },
  )

  it.each([
    ['UK personal', '+447012345678'],
    ['German personal', '+4970012345678'],
    ['Spanish personal', '+34704123456'],
    ['North American personal', '+15332345678'],
    ['Canadian satellite', '+16002345678'],
    ['North American carrier service', '+17002345678'],
    ['pay-per-call exchange', '+12129761234'],
    ['Swiss voicemail', '+41860123456789'],
    ['Portuguese nationwide', '+351707123456'],
    ['UK nationwide', '+443001234567'],
  ])('is not a %s number: %s', (_what, to) => {
    expect(destinationFault(to, ANYWHERE)).toBe('a premium-rate, shared-cost or personal number')
  })

  it.each([
    ['+18765550123', '+1', '+1876'],
    ['+18760000000', '+18', '+1876'],
    ['+18095551234', '+1', '+1809'],
    ['+17875551234', '+1', '+1787'],
    ['+12425551234', '+', '+1242'],
    ['+447781123456', '+44', '+447781'],
    ['+447624123456', '+447', '+447624'],
    ['+77011234567', '+7', '+77'],
  ])('in another country of a shared code needs its area code: %s, not %s, but %s', (to, code, area) => {
    expect(destinationFault(to, { allowedPrefixes: ['+34', code], own: [] })).toMatch(/allow its area code/)
    expect(destinationFault(to, { allowedPrefixes: [code, area], own: [] })).toBeUndefined()
  })

  it.each(['+12125550123', '+16132345678', '+18005551234', '+442071838750', '+447400123456', '+79161234567'])(
    'of the country that the code means is accepted: %s',
    to => {
      expect(destinationFault(to, { allowedPrefixes: ['+1', '+44', '+7'], own: [] })).toBeUndefined()
    },
  )

  it.each(['+870773111632', '+8816312345678', '+88213123456', '+979123456789'])(
    'is not a worldwide network: %s',
    to => {
      expect(destinationFault(to, ANYWHERE)).toBe('a satellite or worldwide network number')
    },
  )

  it.each([
    '',
    '15005550006',
    '0034612345678',
    '+1 500 555 0006',
    '+15005550006,,1234',
    '+15005550006;ext=9',
    'tel:+15005550006',
    'sip:desk@example.com',
    '*21*+15005550006#',
    '+44(0)2071838750',
    '+١٥٠٠٥٥٥٠٠٠٦',
    '+05005550006',
    '+15005550006\n',
  ])('is a plain E.164 number, not %j', to => {
    expect(destinationFault(to, ANYWHERE)).toBe('not a number such as +15551234567')
  })

  it('does not route back here', () => {
    expect(destinationFault('+15005550006', { allowedPrefixes: ['+1'], own: ['+15005550006'] })).toBe(
      'a number of this server',
    )
  })
})
