import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentPolicy } from '../net/http-hardening.ts'
import { escaped } from './page-document.ts'
import { FILES_PATH } from './page-files.ts'

/** An error page for people, instead of JSON. All texts are escaped, since they can contain client input. */
export interface ErrorPage {
  readonly status: number
  /** The stable error code, as in JSON. */
  readonly code: string
  readonly title: string
  readonly text: string
  /** Suggested fixes, by reader. */
  readonly steps: readonly string[]
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy("style-src 'self'", "img-src 'self'"),
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
}

/** Returns true for requests of a browser that accepts HTML. */
export function wantsPage({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('text/html')
}

/** Sends the error as a page to browsers, or as JSON to programs. */
export function sendError(request: FastifyRequest, reply: FastifyReply, page: ErrorPage): FastifyReply {
  const { status, code, text } = page
  void reply.code(status).header('vary', 'accept')
  if (wantsPage(request)) return reply.headers(HEADERS).send(document(page))
  return reply.send({ statusCode: status, error: code, message: text })
}

function document({ status, code, title, text, steps }: ErrorPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Dragoman</title>
<link rel="icon" type="image/svg+xml" href="${FILES_PATH}/pages/page/icon.svg">
<link rel="stylesheet" href="${FILES_PATH}/pages/page/base.css">
</head>
<body>
<header class="top"><p><a href="/">Dragoman</a></p></header>
<main>
<section class="card">
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
<ul>
${steps.map(step => `<li>${escaped(step)}</li>`).join('\n')}
</ul>
<p class="faint">Status ${status} · ${escaped(code)}</p>
</section>
</main>
</body>
</html>
`
}
