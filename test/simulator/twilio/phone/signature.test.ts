import fc from 'fast-check'
import twilio from 'twilio'
import { expect, test } from 'vitest'
import { type FormFields, signRequest } from '../../../../simulator/index.ts'

const classic = {
  CallSid: 'CA1234567890ABCDE',
  Digits: '1234',
  From: '+14158675309',
  To: '+18005551212',
  Caller: '+14158675309',
}
const mine = {
  CallSid: 'CA1234567890ABCDE',
  Caller: '+12349013030',
  Digits: '1234',
  From: '+12349013030',
  To: '+18005551212',
}
const voice = {
  AccountSid: 'ACxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  ApiVersion: '2010-04-01',
  CallSid: 'CA00000000000000000000000000000001',
  CallStatus: 'ringing',
  Direction: 'inbound',
  From: '+15005550006',
  To: '+15005550001',
}
const bridge = 'bridge.example.com/twilio'

test.each<[string, FormFields, string]>([
  ['https://mycompany.com/myapp.php?foo=1&bar=2', classic, 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
  ['https://example.com/myapp', mine, 'NGAgWNhdnsLF8j385frvrQoi9sg='],
  [`wss://${bridge}/media`, {}, 'hGVJmeOLwZmJhPeWsyRDIvgH8Zc='],
  [`wss://${bridge}/media/`, {}, 'K34XpNWz3mSbbFwtWeDWONZkGSc='],
  [`https://${bridge}/media`, {}, 'lZEvGu0Z5D37/G+S9TnXfxg6Af0='],
  [`https://${bridge}/voice`, voice, '5PUp0k0E72VaLJONZN2fcmWDL0U='],
  [`http://${bridge}/voice`, voice, '2G+NckH1/TyZLowVmJE6HhT7/cw='],
  [`https://${bridge}/voice/`, voice, 'UCGqTaMyRUXdPM2M4uoBQ+Zm6bI='],
  [`https://${bridge}/status?StreamEvent=stream-started&StreamSid=MZ1`, {}, '/su7CEMe/Tf0hOVD3sU+1N7v8gs='],
  ['https://bridge.example.com/x', { A: ['b', 'a', 'a'], B: '1' }, '0tslQZLjzjBiKCr5eD9Vu+vWfbI='],
])('%s is signed as Twilio signs it', (url, fields, signature) => {
  expect(signRequest('12345', url, fields)).toBe(signature)
})

test("Twilio's own library accepts every signature and none with another token", () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 })
  const fields = fc.dictionary(
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,10}$/),
    fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 })),
  )
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fields,
      fc.stringMatching(/^[a-z0-9/]{0,20}$/),
      (token, form, path) => {
        const url = `https://bridge.example.com/${path}`
        const signature = signRequest(token, url, form)
        expect(twilio.validateRequest(token, signature, url, form)).toBe(true)
        expect(twilio.validateRequest(`${token}x`, signature, url, form)).toBe(false)
      },
    ),
    { numRuns: 300 },
  )
})
