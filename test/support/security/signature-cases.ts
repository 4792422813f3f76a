import fc from 'fast-check'
import twilio from 'twilio'
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import { isSigned, sign } from '../../../src/bridges/phone/markup/form-signature.ts'
import { PublicUrl } from '../../../src/bridges/phone/public-url.ts'

const SEED = 20_261_121

/** The number of cases, and how often both implementations accepted and rejected. */
export interface Tally {
  taken: number
  refused: number
}

type Fields = Record<string, string | string[]>

const token = fc.stringMatching(/^[0-9a-f]{32}$/)
const name = fc.oneof(
  fc.constantFrom(
    'CallSid',
    'From',
    'To',
    'Digits',
    'CallStatus',
    'Body',
    'from',
    'a',
    'A',
    'a b',
    'ß',
    '\u{1f600}',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }).filter(text => text !== '__proto__'),
)
const value = fc.oneof(
  fc.constantFrom('', '+15005550006', 'CA1', ' ', 'a&b=c', '\u0000', '\ud800', 'é', 'e\u0301'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
)
const fields: fc.Arbitrary<Fields> = fc.dictionary(
  name,
  fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 4 })),
  {
    maxKeys: 8,
  },
)
const publicText = fc.constantFrom(
  'https://bridge.example.com',
  'https://bridge.example.com/',
  'https://bridge.example.com:8443',
  'https://bridge.example.com:443/base',
  'https://[2001:db8::1]/a/b/',
  'https://xn--bcher-kva.example',
)
/** A path of a request line: with characters that address parsers spell in several ways. */
const path = fc.oneof(
  fc.constantFrom(
    '/twilio/voice',
    '/twilio/voice?',
    '/twilio/voice/',
    '/twilio/status?a=1&a=2',
    "/twilio/voice?name=D'Ana",
  ),
  fc
    .tuple(fc.webPath(), fc.option(fc.webQueryParameters(), { nil: undefined }))
    .map(([bare, query]) => bare + (query === undefined ? '' : `?${query}`)),
  fc.stringMatching(/^\/[!-~]{0,24}$/),
)

/** Addresses that a well-meaning client could have signed, correctly or almost. */
function spellings(address: PublicUrl, raw: string): string[] {
  const url = address.http(raw)
  const parsed = URL.parse(url)?.href ?? url
  const near = [
    url,
    `${url}/`,
    url.replace(/\/$/, ''),
    url.replace('https:', 'http:'),
    parsed,
    parsed.replaceAll("'", '%27'),
  ]
  return near.flatMap(each => {
    const [, host = ''] = /^https?:\/\/([^/?#]*)/.exec(each) ?? []
    const bare = host.replace(/:\d+$/, '')
    return [bare, `${bare}:443`, `${bare}:80`, `${bare}:8443`, host, `evil.${host}`].map(other =>
      each.replace(host, other),
    )
  })
}

/** The same fields, or almost. */
function mangled(form: Fields, how: number): Fields {
  const keys = Object.keys(form)
  const first = keys[0]
  if (how === 1 && first !== undefined)
    return Object.fromEntries(Object.entries(form).filter(([key]) => key !== first))
  if (how === 2) return { ...form, Extra: '' }
  if (how === 3 && first !== undefined) return { ...form, [first]: [form[first]!, form[first]!].flat() }
  if (how === 4 && first !== undefined) return { ...form, [first]: [form[first]!].flat().join('') }
  if (how === 5) return Object.fromEntries(Object.entries(form).reverse())
  return form
}

/** Compares webhooks signed by the package, correctly or almost: we accept what it accepts. Throws at the first difference. */
export function compareWebhooks(cases: number): Tally {
  const tally = { taken: 0, refused: 0 }
  fc.assert(
    fc.property(
      token,
      publicText,
      path,
      fields,
      fc.nat(35),
      fc.nat(7),
      fc.nat(9),
      (key, text, raw, form, spelling, how, other) => {
        const address = new PublicUrl(text)
        const signedUrl =
          spelling >= 30 ? address.http(raw) : (spellings(address, raw)[spelling] ?? address.http(raw))
        const header = getExpectedTwilioSignature(
          other === 0 ? `${key}0` : key,
          signedUrl,
          mangled(form, how),
        )
        const theirs = twilio.validateRequest(key, header, address.http(raw), form)
        tally[theirs ? 'taken' : 'refused']++
        return isSigned(header, [key], address.signedHttp(raw), form) === theirs
      },
    ),
    { numRuns: cases, seed: SEED },
  )
  return tally
}

/** The same for upgrades. */
export function compareUpgrades(cases: number): Tally {
  const tally = { taken: 0, refused: 0 }
  fc.assert(
    fc.property(token, publicText, fc.nat(7), fc.boolean(), (key, text, spelling, good) => {
      const address = new PublicUrl(text)
      const urls = address.signedWs('/twilio/media')
      const forms = [
        ...urls,
        address.http('/twilio/media'),
        `${address.ws('/twilio/media')}?a=1`,
        address.ws('/twilio/other'),
        'wss://evil.example/twilio/media',
      ]
      const header = getExpectedTwilioSignature(good ? key : `${key}1`, forms[spelling]!, {})
      // The package treats 80 as the port of wss, so it is called for each address that we accept.
      const theirs = urls.some(url => twilio.validateRequest(key, header, url, {}))
      tally[theirs ? 'taken' : 'refused']++
      return isSigned(header, [key], urls) === theirs && theirs === (good && spelling < 4)
    }),
    { numRuns: cases, seed: SEED },
  )
  return tally
}

/** The same for any content of the header. */
export function compareHeaders(cases: number): Tally {
  const tally = { taken: 0, refused: 0 }
  const url = 'https://bridge.example.com/twilio/voice'
  const good = sign('token', url)
  const headers = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc
      .tuple(fc.nat(27), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([at, char]) => good.slice(0, at) + char + good.slice(at + 1)),
    fc.constantFrom(
      good,
      ` ${good}`,
      `${good}\n`,
      good.toLowerCase(),
      `${good},${good}`,
      good.replaceAll('+', '-').replaceAll('/', '_'),
    ),
  )
  fc.assert(
    fc.property(headers, header => {
      const theirs = twilio.validateRequest('token', header, url, {})
      tally[theirs ? 'taken' : 'refused']++
      return isSigned(header, ['token'], [url]) === theirs
    }),
    { numRuns: cases, seed: SEED },
  )
  return tally
}

/** Tries almost correct signatures; returns how many. Throws at the first that is accepted. */
export function tryForgeries(cases: number): number {
  const address = new PublicUrl('https://bridge.example.com')
  const raw = '/twilio/voice?room=desk'
  const form = { CallSid: 'CA00000000000000000000000000000001', From: '+15005550006', To: '+15005550001' }
  const key = '0123456789abcdef0123456789abcdef'
  const urls = address.signedHttp(raw)
  const rights = new Set(urls.map(url => sign(key, url, form)))
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='
  const nearly = fc.oneof(
    // One character of a correct one is changed.
    fc
      .tuple(fc.constantFrom(...rights), fc.nat(27), fc.nat(alphabet.length - 1))
      .map(([right, at, char]) => right.slice(0, at) + alphabet[char] + right.slice(at + 1)),
    // Two are swapped.
    fc
      .tuple(fc.constantFrom(...rights), fc.nat(26))
      .map(([right, at]) => right.slice(0, at) + right[at + 1] + right[at] + right.slice(at + 2)),
    // Signed with the correct key for something else, or with an almost correct key.
    fc
      .tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.nat(4))
      .map(
        ([extra, what]) =>
          [
            sign(key, urls[0]! + extra, form),
            sign(key, urls[0]!, { ...form, From: form.From + extra }),
            sign(key, urls[0]!, { ...form, [`Z${extra}`]: extra }),
            sign(key + extra, urls[0]!, form),
            sign(extra, urls[0]!, form),
          ][what]!,
      ),
  )
  let tried = 0
  fc.assert(
    fc.property(nearly, header => {
      if (rights.has(header)) return true
      tried++
      return !isSigned(header, [key, 'another'], urls, form)
    }),
    { numRuns: cases, seed: SEED },
  )
  return tried
}
