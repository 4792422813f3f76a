import { describe, expect, it } from 'vitest'
import { PublicUrl } from '../../../src/bridges/phone/public-url.ts'

describe('the public address', () => {
  it('precedes paths byte for byte', () => {
    const url = new PublicUrl('https://Bridge.example.com/')
    expect(url.http('/twilio/voice?b=%20&a=+')).toBe('https://bridge.example.com/twilio/voice?b=%20&a=+')
    expect(url.ws('/twilio/media')).toBe('wss://bridge.example.com/twilio/media')
  })

  it('can have been signed with or without default port and trailing slash', () => {
    const url = new PublicUrl('https://bridge.example.com')
    expect(url.signedHttp('/v')).toEqual(['https://bridge.example.com/v', 'https://bridge.example.com:443/v'])
    expect(url.signedWs('/m')).toEqual([
      'wss://bridge.example.com/m',
      'wss://bridge.example.com:443/m',
      'wss://bridge.example.com/m/',
      'wss://bridge.example.com:443/m/',
    ])
  })

  it.each([
    ['https://Bridge.Example.com/', 'https://Bridge.Example.com/v'],
    ['https://Bridge.Example.com/', 'https://bridge.example.com/v'],
    ['https://Bridge.Example.com:443', 'https://Bridge.Example.com:443/v'],
    ['https://Bridge.Example.com:443', 'https://Bridge.Example.com/v'],
    ['https://Bridge.Example.com:8443/Base/', 'https://Bridge.Example.com:8443/Base/v'],
    ['HTTPS://Bridge.Example.com', 'HTTPS://Bridge.Example.com/v'],
    ['https://bücher.example', 'https://bücher.example/v'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/v'],
    ['https://bridge.example.com/dolmetschen/ü', 'https://bridge.example.com/dolmetschen/ü/v'],
    ['https://bridge.example.com/dolmetschen/ü', 'https://bridge.example.com/dolmetschen/%C3%BC/v'],
    ['https://bridge.example.com/%7euser//', 'https://bridge.example.com/%7euser/v'],
  ])('%s can have been signed as %s', (text, signed) => {
    const url = new PublicUrl(text)
    expect(url.signedHttp('/v')).toContain(signed)
    expect(url.signedWs('/v')).toContain(signed.replace(/^https/i, 'wss'))
    expect(url.http('/v')).toBe(`${new URL(text).href.replace(/\/+$/, '')}/v`)
  })

  it('has few spellings, whatever it is', () => {
    const url = new PublicUrl('https://Bücher.Example:8443/Ü//')
    expect(url.signedHttp('/v?a=%41&name=Jos%C3%A9+x').length).toBeLessThanOrEqual(16)
    expect(url.signedWs('/m').length).toBeLessThanOrEqual(8)
  })

  it('can have been signed with a query as a person writes it', () => {
    const url = new PublicUrl('https://bridge.example.com')
    expect(url.signedHttp('/v?name=Jos%C3%A9')).toContain('https://bridge.example.com/v?name=José')
  })

  it('keeps its port and path', () => {
    const url = new PublicUrl('https://[2001:db8::1]:8443/base/')
    expect(url.http('/v')).toBe('https://[2001:db8::1]:8443/base/v')
    expect(url.signedHttp('/v')).toContain('https://[2001:db8::1]:8443/base/v')
    expect(url.ws('/m')).toBe('wss://[2001:db8::1]:8443/base/m')
  })

  it.each([
    'bridge.example.com',
    'http://bridge.example.com',
    'ftp://bridge.example.com',
    'https://user:secret@bridge.example.com',
    'https://user@bridge.example.com',
    'https://bridge.example.com/?a=1',
    'https://bridge.example.com/#x',
    '',
  ])('is not %j', text => {
    expect(() => new PublicUrl(text)).toThrow(expect.objectContaining({ code: 'CONFIG' }))
    expect(() => new PublicUrl(text)).not.toThrow(/secret/)
  })

  it('is http only where allowed', () => {
    const url = new PublicUrl('http://127.0.0.1:8080', { allowHttp: true })
    expect(url.ws('/m')).toBe('ws://127.0.0.1:8080/m')
  })
})
