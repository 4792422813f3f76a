import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedLanguage } from '../messages/accepted.ts'
import { CATALOGS } from '../messages/catalogs.ts'
import type { ErrorTexts } from '../messages/en/errors.ts'
import { escaped, marked, standaloneHeaders, standalonePage } from '../net/standalone-page.ts'

/** An error for people. In texts, parts between backticks are shown as code; everything is escaped. */
export interface ErrorPage {
  readonly status: number
  /** The stable error code, as in JSON. */
  readonly code: string
  readonly title: string
  readonly text: string
  readonly steps: readonly ErrorStep[]
  /** Link to a page that works. */
  readonly action?: { readonly name: string; readonly href: string } | undefined
  /** False: other pages of this address are rejected as well, so the header does not link to them. */
  readonly home?: boolean
}

/** Makes the page from the texts of a language. */
export type ErrorPageOf = (texts: ErrorTexts) => ErrorPage

/** A suggested fix. */
export interface ErrorStep {
  /** Readers for whom it is meant, such as `If you were invited:`. */
  readonly who?: string
  readonly text: string
  /** Settings that fix it, as YAML. */
  readonly settings?: string | undefined
}

const STYLE = `main{max-width:40rem;margin:0 auto;padding:clamp(2rem,10vh,7rem) clamp(1rem,3vw,2rem) 3rem;display:grid;gap:1rem;justify-items:start}
main>svg{width:3.25rem;height:3.25rem;padding:.75rem;border-radius:50%;background:var(--second-soft);color:var(--second);fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
h1{font-size:clamp(1.5rem,1.1rem + 1.9vw,2.375rem)}
.about{font-size:1.125rem;color:var(--faint)}
.about code{color:var(--ink)}
.fix{width:100%;padding:1rem 1.5rem;border:1px solid var(--line);border-radius:12px;background:var(--card)}
.fix h2{font-size:1rem}
.fix ul{display:grid;gap:.75rem;margin-block-start:.75rem;padding:0;list-style:none}
.fix pre{margin-block-start:.5rem;white-space:pre-wrap;overflow-wrap:anywhere}
`
const HEADERS = { ...standaloneHeaders(STYLE), 'cache-control': 'no-store' }
const WARNING =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2v.1"/></svg>'

/** Returns true for requests of a browser that accepts HTML. */
export function wantsPage({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('text/html')
}

/** Sends the error as a page to browsers, or as JSON to programs. */
export function sendError(request: FastifyRequest, reply: FastifyReply, page: ErrorPageOf): FastifyReply {
  void reply.header('vary', 'accept, accept-language')
  if (wantsPage(request)) return sendErrorPage(request, reply, page)
  const { status, code, text } = page(CATALOGS.en.errors)
  void reply.code(status)
  return reply.send({ statusCode: status, error: code, message: text.replaceAll('`', '') })
}

/** Sends the error as a page in the language of the request. */
export function sendErrorPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  page: ErrorPageOf,
): FastifyReply {
  const language = acceptedLanguage(headers['accept-language'])
  const texts = CATALOGS[language].errors
  const made = page(texts)
  return reply
    .code(made.status)
    .headers(HEADERS)
    .send(document(made, texts, language))
}

function document(
  { status, code, title, text, steps, action, home = true }: ErrorPage,
  texts: ErrorTexts,
  language: string,
): string {
  const link = action && `<a class="button" href="${escaped(action.href)}">${escaped(action.name)}</a>`
  return standalonePage({
    language,
    title: `${title} · Dragoman`,
    style: STYLE,
    home: home ? '/' : undefined,
    body: `<main>
${WARNING}
<h1>${escaped(title)}</h1>
<p class="about">${marked(text)}</p>
<section class="fix" aria-labelledby="fix"><h2 id="fix">${escaped(texts.whatToDo)}</h2>
<ul>
${steps.map(step).join('\n')}
</ul></section>
${link ?? ''}
<p class="faint">${escaped(texts.status)} ${status} · ${escaped(code)}</p>
</main>`,
  })
}

function step({ who, text, settings }: ErrorStep): string {
  const lead = who === undefined ? '' : `<b>${escaped(who)}</b> `
  const example = settings === undefined ? '' : `<pre><code>${escaped(settings)}</code></pre>`
  return `<li>${lead}${marked(text)}${example}</li>`
}
