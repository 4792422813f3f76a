import fc from 'fast-check'
import { KEY } from './fake-service.ts'

/** Requests that are malformed in some way, as bytes; the same seed produces the same ones. */

const LINE = '\r\n'

/**
 * Bytes with no request in them. HTTP passes over empty lines before a request line (RFC 9112 §2.2), and Node's parser
 * over any number of CR and LF: a client that sends no more has asked nothing.
 */
export const NO_REQUESTS = ['', '\r', '\r\n', '\n\r\n\r\n', '\r\r\n\r\n', '\r'.repeat(100)]

/** Returns true if `bytes` contain a request. */
function asks(bytes: Buffer): boolean {
  return bytes.some(byte => byte !== 0x0d && byte !== 0x0a)
}

interface Head {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
}

function wire({ method, path, headers, body }: Head): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}${LINE}`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1${LINE}${lines.join('')}${LINE}`, 'latin1'),
    body,
  ])
}

const keyed = { Host: 'x', 'x-api-key': KEY }

/** A form with `parts`, as a browser would send it. */
function form(parts: readonly { name: string; file?: string; content: Buffer }[]): Head {
  const body = parts.map(({ name, file, content }) =>
    Buffer.concat([
      Buffer.from(
        `--edge${LINE}Content-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}${LINE}${LINE}`,
      ),
      content,
      Buffer.from(LINE),
    ]),
  )
  const whole = Buffer.concat([...body, Buffer.from(`--edge--${LINE}`)])
  const type = 'multipart/form-data; boundary=edge'
  const headers = { ...keyed, 'Content-Type': type, 'Content-Length': String(whole.length) }
  return { method: 'POST', path: '/api/batch/file', headers, body: whole }
}

const word = fc.string({ maxLength: 20, unit: 'binary-ascii' })
const clean = word.map(text => text.replace(/[\p{Cc}\s:]/gu, '_'))
const bytes = fc.uint8Array({ maxLength: 600 }).map(each => Buffer.from(each))
const magic = fc.constantFrom('RIFF\0\0\0\0WAVEfmt ', 'OggS\0\u0002', 'ID3\u0003', '\u00ff\u00fb\u0090\0', '')
/** Mostly valid, so that later parts are checked as well. */
const mode = fc.oneof(
  { arbitrary: fc.constantFrom('stt', 'sts', 'tts', 'translator'), weight: 6 },
  fc.constantFrom('STT', ''),
  clean,
)
const language = fc.oneof(
  { arbitrary: fc.constantFrom('en-us', 'es-es', ''), weight: 6 },
  fc.constantFrom('xx-xx', 'english'),
  clean,
)

const wrongForm = fc
  .record({
    mode,
    source: language,
    target: language,
    receiveAudio: fc.oneof({ arbitrary: fc.constantFrom('', '{}'), weight: 4 }, fc.json(), clean),
    file: fc.tuple(magic, bytes).map(([head, rest]) => Buffer.concat([Buffer.from(head, 'latin1'), rest])),
    name: fc.oneof(
      { arbitrary: fc.constant('file'), weight: 8 },
      fc.constantFrom('File', '__proto__', 'constructor', 'text', ''),
    ),
  })
  .map(({ mode, source, target, receiveAudio, file, name }) =>
    form([
      { name: 'mode', content: Buffer.from(mode) },
      { name: 'languageIdSource', content: Buffer.from(source) },
      { name: 'languageIdTarget', content: Buffer.from(target) },
      { name: 'receiveAudio', content: Buffer.from(receiveAudio) },
      { name, file: 'a.wav', content: file },
    ]),
  )

/** A form whose header contradicts its body. */
const brokenForm = fc
  .tuple(
    wrongForm,
    fc.constantFrom('short', 'long', 'no edge', 'other edge', 'cut', 'json', 'chunked'),
    fc.nat(400),
  )
  .map(([head, how, at]): Head => {
    const { headers, body } = head
    switch (how) {
      case 'short':
        return { ...head, headers: { ...headers, 'Content-Length': String(at % body.length) } }
      case 'long':
        return { ...head, headers: { ...headers, 'Content-Length': String(body.length + 1 + at) } }
      case 'no edge':
        return { ...head, headers: { ...headers, 'Content-Type': 'multipart/form-data' } }
      case 'other edge':
        return { ...head, headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=else' } }
      case 'cut': {
        const cut = body.subarray(0, at % body.length)
        return { ...head, body: cut, headers: { ...headers, 'Content-Length': String(cut.length) } }
      }
      case 'json':
        return { ...head, headers: { ...headers, 'Content-Type': 'application/json' } }
      default: {
        const { 'Content-Length': _, ...rest } = headers as Record<string, string>
        return { ...head, headers: { ...rest, 'Transfer-Encoding': 'chunked' } }
      }
    }
  })

const wrongPath: fc.Arbitrary<Head> = fc
  .record({
    method: fc.oneof(
      { arbitrary: fc.constant('GET'), weight: 3 },
      fc.constantFrom('POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'BREW', 'get'),
    ),
    path: fc.oneof(
      fc.constantFrom('/%', '/health/%E0%A4%A', '/api/../etc', '//', '*', 'nothing', '/api/voices/', '/%00'),
      clean.map(text => `/${encodeURIComponent(text)}x`),
      clean.map(text => `/api/voices?language=${text}`),
      clean.map(text => `/api/voices?mode=x${text}&mode=block`),
      clean.map(text => `/stream/${encodeURIComponent(text)}`),
    ),
    headers: fc.oneof(
      fc.constant<Record<string, string>>(keyed),
      fc.constant<Record<string, string>>({ Host: 'x' }),
      clean.map((key): Record<string, string> => ({ Host: 'x', 'x-api-key': key })),
      clean.map((name): Record<string, string> => ({ ...keyed, [`${name} bad`]: 'x' })),
      fc.constantFrom<Record<string, string>>(
        { ...keyed, Upgrade: 'websocket', Connection: 'Upgrade' },
        { ...keyed, Expect: 'the unexpected' },
        { 'x-api-key': KEY },
      ),
      fc.nat(20_000).map((size): Record<string, string> => ({ ...keyed, 'x-long': 'x'.repeat(size) })),
    ),
  })
  .map(each => ({ ...each, body: Buffer.alloc(0) }))

/** A request to Socket.IO's own path that is not a valid handshake. */
const wrongSocket: fc.Arbitrary<Head> = fc
  .record({
    method: fc.oneof({ arbitrary: fc.constant('GET'), weight: 4 }, fc.constantFrom('POST', 'PUT', 'OPTIONS')),
    version: fc.oneof({ arbitrary: fc.constant('4'), weight: 3 }, fc.constantFrom('3', '5', ''), clean),
    transport: fc.oneof(
      { arbitrary: fc.constantFrom('websocket', 'polling'), weight: 4 },
      fc.constantFrom('webtransport', '__proto__', ''),
      clean,
    ),
    sid: fc.option(fc.oneof(fc.constantFrom('__proto__', 'x'.repeat(2_000)), clean)),
    headers: fc.constantFrom<Record<string, string>>(
      {},
      { Upgrade: 'websocket', Connection: 'Upgrade' },
      { Upgrade: 'h2c', Connection: 'Upgrade', 'Sec-WebSocket-Key': 'a', 'Sec-WebSocket-Version': '13' },
      { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Key': 'short' },
      {
        Upgrade: 'websocket',
        Connection: 'Upgrade',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version': '99',
      },
    ),
  })
  .map(({ method, version, transport, sid, headers }) => ({
    method,
    path: `/socket.io/?EIO=${encodeURIComponent(version)}&transport=${encodeURIComponent(transport)}${
      sid === null ? '' : `&sid=${encodeURIComponent(sid)}`
    }`,
    headers: { ...keyed, ...headers },
    body: Buffer.alloc(0),
  }))

/** One of the others with some bytes changed. */
const mutated = fc
  .tuple(
    fc.oneof(wrongForm, brokenForm, wrongPath, wrongSocket).map(wire),
    fc.array(
      fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.constantFrom('set', 'insert', 'remove')),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
  )
  .map(([whole, changes]) => {
    const list = Array.from(whole)
    for (const [at, byte, how] of changes) {
      const index = at % Math.min(list.length, 300)
      if (how === 'set') list[index] = byte
      else if (how === 'insert') list.splice(index, 0, byte)
      else if (list.length > 1) list.splice(index, 1)
    }
    return Buffer.from(list)
  })

const garbage = bytes.map(each => Buffer.concat([each, Buffer.from(LINE + LINE)]))

export const malformedRequest: fc.Arbitrary<Buffer> = fc
  .oneof(
    { arbitrary: wrongForm.map(wire), weight: 4 },
    { arbitrary: brokenForm.map(wire), weight: 4 },
    { arbitrary: wrongPath.map(wire), weight: 4 },
    { arbitrary: wrongSocket.map(wire), weight: 2 },
    { arbitrary: mutated, weight: 6 },
    { arbitrary: garbage, weight: 1 },
  )
  .filter(asks)
