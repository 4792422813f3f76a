import { readFileSync } from 'node:fs'
import { acceptedLanguage } from '../messages/accepted.ts'
import { CATALOGS, UI_LANGUAGES } from '../messages/catalogs.ts'
import { contentPolicy } from '../net/http-hardening.ts'
import { escaped } from '../net/standalone-page.ts'
import { FILES_PATH, SOURCE } from './page-files.ts'

/**
 * Returns the path of a link to a room, with the `token` in its fragment. Browsers never send the part after `#`, so it
 * reaches neither logs nor other sites.
 */
export function joinPath(token: string): string {
  return `/${joinHash(token)}`
}

/** Returns the path of a link for listening to a room, which is built in the same way. */
export function listenPath(token: string): string {
  return `/listen${joinHash(token)}`
}

/** Returns the fragment with the `token`, for any address of the page. */
export function joinHash(token: string): string {
  return `#join=${token}`
}

export interface PageOptions {
  /** In the language of the page. */
  readonly title: string
  /** Module of the page: its path below `src`, without the extension, such as `web/dashboard/page/dashboard`. */
  readonly module: string
  /** Style sheets in addition to the shared one: paths below `src`, with the extension. */
  readonly styles?: readonly string[]
  /** Content of the body: a static file below `src`, without any dynamic values. */
  readonly body: string
  /** Address of the files, relative to the page; default `FILES_PATH`. */
  readonly files?: string
  /**
   * Prefix for the page’s own requests, relative to the page, such as `../`. Its scripts read it from the document.
   */
  readonly root?: string
}

/** Options of a page with texts in several languages. */
export type LocalizedPageOptions = Omit<PageOptions, 'title'> & {
  /** Its part of the catalogs. */
  readonly part: 'talk' | 'captions' | 'listen'
}

/** Restricts pages to resources and connections of this server, and forbids inline scripts and styles. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy(
    // Resampling runs in WebAssembly.
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "worker-src 'self'",
  ),
  'permissions-policy': 'microphone=(), camera=(), geolocation=()',
  'cache-control': 'no-cache',
  'content-type': 'text/html; charset=utf-8',
}

/**
 * Renders a page in English as HTML, to be sent with `PAGE_HEADERS`. Its file is read once, at startup; all responses
 * share the bytes.
 */
export function pageDocument({ title, ...options }: PageOptions): Buffer {
  return rendered(options, title, 'lang="en"', bodyOf(options))
}

/**
 * Renders a page in every language, to be sent with `PAGE_HEADERS` and `vary: accept-language`. The result returns the
 * document for the header `Accept-Language` of a request.
 */
export function localizedPage({ part, ...options }: LocalizedPageOptions): (accepted?: string) => Buffer {
  const body = bodyOf(options)
  const languages = `data-languages="${UI_LANGUAGES.join(' ')}"`
  const documents = new Map(
    UI_LANGUAGES.map(language => {
      const texts: Readonly<Record<string, unknown>> = CATALOGS[language][part]
      const filled = withTexts(body, texts)
      return [language, rendered(options, String(texts.title), `lang="${language}" ${languages}`, filled)]
    }),
  )
  return accepted => documents.get(acceptedLanguage(accepted))!
}

/** Fills the elements with `data-words` (content), `data-label` and `data-tip`, as the page does for another language. */
function withTexts(body: string, texts: Readonly<Record<string, unknown>>): string {
  const text = (key: string) => {
    const found = texts[key]
    if (typeof found === 'string') return escaped(found)
    throw new Error(`the page needs a text ${key}, which is not in its catalog`)
  }
  return body
    .replace(/\bdata-label="([\w-]+)"/g, (all, key: string) => `${all} aria-label="${text(key)}"`)
    .replace(/\bdata-tip="([\w-]+)"/g, (all, key: string) => `${all} title="${text(key)}"`)
    .replace(/(\bdata-words="([\w-]+)"[^>]*>)/g, (_all, start: string, key: string) => start + text(key))
}

function bodyOf({ body }: Pick<PageOptions, 'body'>): string {
  return readFileSync(new URL(body, SOURCE.folder), 'utf8').trimEnd()
}

function rendered(
  { module, styles = [], files = FILES_PATH, root }: Omit<PageOptions, 'title'>,
  title: string,
  attributes: string,
  body: string,
): Buffer {
  const sheets = ['pages/page/base.css', ...styles]
  return Buffer.from(`<!doctype html>
<html ${attributes}${root === undefined ? '' : ` data-root="${escaped(root)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" type="image/svg+xml" href="${escaped(files)}/pages/page/icon.svg">
${sheets.map(sheet => `<link rel="stylesheet" href="${escaped(files)}/${sheet}">`).join('\n')}
<script type="module" src="${escaped(files)}/${module}${SOURCE.ending}"></script>
</head>
<body>
${body}
</body>
</html>
`)
}
