import type { FastifyReply, FastifyRequest } from 'fastify'
import { inSpanish } from './fake-openai.ts'
import { FaultServer } from './fault-server.ts'
import { KEY } from './http-faults.ts'

const fields = (body: unknown, allowed: readonly string[]) =>
  Object.keys(body as object).every(field => allowed.includes(field))

/** Strict fakes of DeepL, Google Cloud Translation and Azure Translator: they refuse what the services would. */
export class FakeHostedTranslators extends FaultServer {
  /** Reasons of all refusals. A right client has none. */
  readonly refusals: string[] = []
  /** Glossaries of the account at DeepL. */
  readonly glossaries: DeepLGlossary[] = []
  /** Status of the next answer instead of a translation. */
  status: number | undefined

  constructor() {
    super()
    this.app.post('/v2/translate', (request, reply) =>
      this.#answer(request, reply, each => deepl(each, this.glossaries)),
    )
    this.app.get('/v2/glossaries', (request, reply) =>
      this.#answer(request, reply, each => deeplGlossaries(each, this.glossaries)),
    )
    this.app.post('/v2/glossaries', (request, reply) =>
      this.#answer(request, reply, each => deeplGlossaries(each, this.glossaries)),
    )
    this.app.post('/language/translate/v2', (request, reply) => this.#answer(request, reply, google))
    this.app.post('/translate', (request, reply) => this.#answer(request, reply, azure))
  }

  #answer(
    request: FastifyRequest,
    reply: FastifyReply,
    service: (request: FastifyRequest) => { refusal?: string; status?: number; body?: object },
  ): unknown {
    if (request.url.includes(KEY)) {
      this.refusals.push('the key in the address')
      return reply.status(403).send({})
    }
    const { refusal, status = 400, body } = service(request)
    if (refusal !== undefined) {
      this.refusals.push(refusal)
      return reply.status(status).send({ message: refusal })
    }
    const failed = this.status
    this.status = undefined
    return failed === undefined ? body : reply.status(failed).send({ message: 'Quota Exceeded' })
  }
}

const DEEPL_SOURCES = ['EN', 'ES', 'FR', 'DE', 'PT', 'ZH']
const DEEPL_TARGETS = ['EN-US', 'EN-GB', 'ES', 'ES-419', 'FR', 'DE', 'PT-BR', 'PT-PT', 'ZH-HANS', 'ZH-HANT']
const DEEPL_FIELDS = [
  'text',
  'source_lang',
  'target_lang',
  'model_type',
  'context',
  'formality',
  'glossary_id',
]

export interface DeepLGlossary {
  readonly glossary_id: string
  readonly name: string
  readonly ready: boolean
  readonly source_lang: string
  readonly target_lang: string
  readonly entries: ReadonlyMap<string, string>
}

function deeplGlossaries({ method, headers, body }: FastifyRequest, glossaries: DeepLGlossary[]) {
  if (headers.authorization !== `DeepL-Auth-Key ${KEY}`) return { refusal: 'a wrong key', status: 403 }
  if (method === 'GET') return { body: { glossaries } }
  if (!fields(body, ['name', 'source_lang', 'target_lang', 'entries', 'entries_format']))
    return { refusal: 'an unknown field' }
  const { name, source_lang, target_lang, entries, entries_format } = body as Record<string, string>
  if (entries_format !== 'tsv') return { refusal: 'another format' }
  const rows = (entries ?? '').split('\n').map(row => row.split('\t'))
  if (rows.some(row => row.length !== 2 || row.includes(''))) return { refusal: 'a row that is no pair' }
  const terms = new Map(rows.map(([term = '', translation = '']) => [term, translation]))
  if (terms.size < rows.length) return { refusal: 'a term twice' }
  const made = { glossary_id: `g${glossaries.length}`, name: name!, ready: true, entries: terms }
  glossaries.push({ ...made, source_lang: source_lang!, target_lang: target_lang! })
  return { body: glossaries.at(-1)! }
}

function deepl({ headers, body }: FastifyRequest, glossaries: readonly DeepLGlossary[]) {
  if (headers.authorization !== `DeepL-Auth-Key ${KEY}`) return { refusal: 'a wrong key', status: 403 }
  if (!fields(body, DEEPL_FIELDS)) return { refusal: 'an unknown field' }
  const { text, source_lang: source, target_lang: target } = body as Record<string, unknown>
  if (!Array.isArray(text)) return { refusal: 'text that is no list' }
  if (!DEEPL_SOURCES.includes(String(source))) return { refusal: `the source ${String(source)}` }
  if (!DEEPL_TARGETS.includes(String(target))) return { refusal: `the target ${String(target)}` }
  const { glossary_id: id } = body as { glossary_id?: string }
  const glossary = glossaries.find(each => each.glossary_id === id)
  if (id !== undefined && glossary?.source_lang !== source) return { refusal: 'an unknown glossary' }
  const terms = Array.from(glossary?.entries ?? [])
  const translated = (each: string) =>
    inSpanish(terms.reduce((left, [term, translation]) => left.replaceAll(term, translation), each))
  return {
    body: { translations: text.map(each => ({ detected_source_language: source, text: translated(each) })) },
  }
}

function google({ headers, body }: FastifyRequest) {
  if (headers['x-goog-api-key'] !== KEY) return { refusal: 'a wrong key', status: 403 }
  if (!fields(body, ['q', 'source', 'target', 'format', 'model'])) return { refusal: 'an unknown field' }
  const { q, source, target, format } = body as Record<string, unknown>
  for (const code of [source, target])
    if (!/^[a-z]{2}(-[A-Z]{2})?$/.test(String(code))) return { refusal: `the language ${String(code)}` }
  if (format !== 'text') return { refusal: 'HTML, which escapes apostrophes' }
  return {
    body: { data: { translations: (q as string[]).map(each => ({ translatedText: inSpanish(each) })) } },
  }
}

const DICTIONARY = /<mstrans:dictionary translation="([^"]*)">[^<]*<\/mstrans:dictionary>/g

function azure({ headers, body, query }: FastifyRequest) {
  if (headers['ocp-apim-subscription-key'] !== KEY) return { refusal: 'a wrong key', status: 401 }
  if (headers['ocp-apim-subscription-region'] !== 'westeurope') return { refusal: 'no region', status: 401 }
  const { 'api-version': version, from, to } = query as Record<string, string>
  if (version !== '3.0') return { refusal: 'another version' }
  if (!/^[a-z]{2}(-[A-Za-z]+)?$/.test(from ?? '') || !to) return { refusal: 'languages that are no codes' }
  if (!Array.isArray(body) || !body.every(each => fields(each, ['Text']))) return { refusal: 'another body' }
  return {
    body: body.map(({ Text }: { Text: string }) => ({
      translations: [{ text: inSpanish(Text.replace(DICTIONARY, '$1')), to }],
    })),
  }
}
