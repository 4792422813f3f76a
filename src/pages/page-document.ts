import { readFileSync } from 'node:fs'
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
  /** Default `en`. */
  readonly language?: string
  /** Address of the files, relative to the page; default `FILES_PATH`. */
  readonly files?: string
  /**
   * Prefix for the page’s own requests, relative to the page, such as `../`. Its scripts read it from the document.
   */
  readonly root?: string
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
 * Renders a page as HTML, to be sent with `PAGE_HEADERS`. Its file is read once, at startup; all responses share the
 * bytes.
 */
export function pageDocument(options: PageOptions): Buffer {
  const { title, module, styles = [], body, language = 'en', files = FILES_PATH, root } = options
  const sheets = ['pages/page/base.css', ...styles]
  return Buffer.from(`<!doctype html>
<html lang="${escaped(language)}"${root === undefined ? '' : ` data-root="${escaped(root)}"`}>
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
${readFileSync(new URL(body, SOURCE.folder), 'utf8').trimEnd()}
</body>
</html>
`)
}
