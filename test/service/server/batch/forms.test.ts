import { expect, test } from 'vitest'
import { met, WAV } from '../../../support/service/batch-failures.ts'
import { fakeService, KEY } from '../../../support/service/fake-service.ts'
import { quickEngines } from '../../../support/service/instant-recognizer.ts'

interface Part {
  readonly name: string
  readonly content: string | Uint8Array
  /** Parameters after the name, and further headers. */
  readonly more?: string
}

/** A form as bytes; libraries write the same one in different ways. */
function form(parts: readonly Part[]): Buffer {
  const written = parts.flatMap(({ name, content, more = '' }) => [
    Buffer.from(`--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...written, Buffer.from('--edge--\r\n')])
}

async function posted(parts: readonly Part[], query = '') {
  const { url } = await fakeService({ maxFileTextLength: 1_000 }, { engines: quickEngines().engines })
  return met(
    fetch(`${url}/api/batch/file${query}`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'multipart/form-data; boundary="edge"' },
      body: new Uint8Array(form(parts)),
    }),
  )
}

const LONG = Buffer.concat([WAV, Buffer.alloc(90_000)])
const MODE = { name: 'mode', content: 'stt' }
const TEXT = [
  { name: 'mode', content: 'translator' },
  { name: 'languageIdSource', content: 'en-us' },
  { name: 'languageIdTarget', content: 'es-es' },
]

test.each<[string, Part[]]>([
  ['audio without a file name', [MODE, { name: 'file', content: LONG }]],
  [
    'audio with a media type and no file name',
    [MODE, { name: 'file', content: LONG, more: '\r\nContent-Type: audio/wav' }],
  ],
  ['audio before the fields', [{ name: 'file', content: WAV, more: '; filename="a.wav"' }, MODE]],
  [
    'a name of the file in two spellings',
    [MODE, { name: 'file', content: WAV, more: `; filename=a; filename*=utf-8''a` }],
  ],
  [
    'a field with a file name',
    [
      { ...MODE, more: '; filename="mode.txt"\r\nContent-Type: text/plain' },
      { name: 'file', content: WAV },
    ],
  ],
  [
    'a field of bytes',
    [
      { ...MODE, more: '\r\nContent-Type: application/octet-stream' },
      { name: 'file', content: WAV },
    ],
  ],
  [
    'a field of the media type JSON',
    [
      MODE,
      { name: 'file', content: WAV },
      { name: 'receiveAudio', content: '{"sampleRate":8000}', more: '\r\nContent-Type: application/json' },
    ],
  ],
  ['text in a part without a file name', [...TEXT, { name: 'file', content: 'hello' }]],
  [
    'a field in Latin-1',
    [
      ...TEXT,
      {
        name: 'text',
        content: Buffer.from('caf\u00e9', 'latin1'),
        more: '\r\nContent-Type: text/plain; charset=iso-8859-1',
      },
    ],
  ],
  [
    'brackets',
    [
      ...TEXT,
      { name: 'text', content: 'hello' },
      { name: 'voiceEngine[]', content: 'neural' },
      { name: 'voiceEngine[1]', content: 'standard' },
    ],
  ],
])('accepts %s', async (_, parts) => {
  expect(await posted(parts)).toMatchObject({ status: 200 })
})

test.each<[string, Part[], string, string]>([
  [
    'a long text with a file name',
    [...TEXT, { name: 'text', content: 'x'.repeat(5_000), more: '; filename="t.txt"' }],
    'text_too_long',
    'text',
  ],
  [
    'a long text of bytes',
    [
      ...TEXT,
      { name: 'text', content: 'x'.repeat(5_000), more: '\r\nContent-Type: application/octet-stream' },
    ],
    'text_too_long',
    'text',
  ],
  [
    'base64',
    [
      MODE,
      { name: 'file', content: 'UklGRg==', more: '; filename="a"\r\nContent-Transfer-Encoding: base64' },
    ],
    'form_malformed',
    'base64',
  ],
  [
    'quoted-printable',
    [{ ...MODE, more: '\r\nContent-Transfer-Encoding: Quoted-Printable' }],
    'form_malformed',
    'quoted-printable',
  ],
  [
    'a wrong field of the media type JSON',
    [
      MODE,
      { name: 'receiveAudio', content: '{"rate":1}', more: '\r\nContent-Type: application/json' },
      { name: 'file', content: WAV },
    ],
    'field_unknown',
    'rate',
  ],
  [
    'two files, one without a file name',
    [MODE, { name: 'file', content: WAV }, { name: 'file', content: WAV, more: '; filename="a"' }],
    'parameter_repeated',
    'file',
  ],
  [
    'a file under another name',
    [MODE, { name: 'audio', content: WAV, more: '; filename="a.wav"' }],
    'form_field_unknown',
    'file',
  ],
  [
    'a field in other letters',
    [MODE, { name: 'languageidsource', content: 'en-us' }],
    'form_field_unknown',
    'did you mean languageIdSource?',
  ],
])('rejects %s', async (_, parts, error, named) => {
  const { status, body } = await posted(parts)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(body).toMatchObject({ error, description: expect.stringContaining(named) })
})
