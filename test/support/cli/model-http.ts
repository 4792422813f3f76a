import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Mp3Maker } from '../../../simulator/service/scripted-answers.ts'
import { error, voicesAnswer } from './model-voices.ts'

export const MODEL_KEY = 'model-key'

/** The HTTP half of the model service; `bad` lists the statements that it breaks. */
export async function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  bad: (id: string) => boolean,
  maker: Mp3Maker,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://model')
  if (url.pathname === '/stream.mp3') {
    if (bad('6-2')) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(maker.tone(440, 2_000))
    return
  }
  const [status, body] = await answer(request, url, bad, maker)
  const html = bad('4.1-1') && status === 200 && url.pathname === '/api/languages'
  const text = html ? '<html>' : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}

async function answer(
  request: IncomingMessage,
  url: URL,
  bad: (id: string) => boolean,
  maker: Mp3Maker,
): Promise<[number, unknown]> {
  const refused = bad('7-1') ? { message: 'no' } : error('unauthorized', 'key_wrong')
  const form = request.method === 'POST' ? await formOf(request) : undefined
  const key = request.headers[bad('5.2-1') ? 'authorization' : 'x-api-key']
  if (key === undefined && !bad('5.1-1')) return [401, refused]
  if (key !== undefined && key !== MODEL_KEY && !bad('5.1-2')) return [401, refused]
  if (url.pathname === '/api/languages') return [200, languages(bad)]
  if (url.pathname === '/api/voices') return voicesAnswer(url.searchParams, bad)
  return form ? batch(form, bad, maker) : [404, error('not_found', 'path_unknown')]
}

function languages(bad: (id: string) => boolean): object[] {
  const ids = bad('2.1-2') ? ['en-us', 'fr-fr'] : ['en-us', 'es-es', 'fr-fr']
  return ids.map(id => ({ languageId: bad('2.1-1') ? id.toUpperCase() : id }))
}

async function batch(
  form: FormData,
  bad: (id: string) => boolean,
  maker: Mp3Maker,
): Promise<[number, unknown]> {
  const file = form.get('file')
  const head = file instanceof Blob ? Buffer.from(await file.bytes()).toString('latin1', 0, 4) : ''
  const wrong: [number, unknown] = [400, error('bad_file', 'format_unknown')]
  if (head !== 'RIFF') return bad('7-4') ? [200, { text: '' }] : wrong
  if (form.get('mode') === 'stt') {
    if (bad('2.5-1')) return wrong
    if (bad('4.3-1')) return [200, 'good morning']
    return [200, { text: 'good morning', ...(bad('4.3-2') ? { translation: 'buenos días' } : {}) }]
  }
  const bytes = bad('4.3-3') ? Buffer.alloc(400, 'RIFF').toString('base64') : undefined
  const data = bytes ?? Buffer.from(maker.tone(440, 500)).toString('base64')
  return [200, { text: 'good morning', translation: 'buenos días', file: { data } }]
}

async function formOf(request: IncomingMessage): Promise<FormData> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  return new Response(Buffer.concat(pieces), { headers }).formData()
}
