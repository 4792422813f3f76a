import { readFileSync } from 'node:fs'
import { contentPolicy } from '../guard/security-headers.ts'
import { FILES_PATH } from './page-files.ts'
import { SOURCE } from './sources.ts'

export interface PageParts {
  /** In the language of the page. */
  readonly title: string
  /** Module that runs in the page: its path below `src`, without the ending, like `web/dashboard/page/dashboard`. */
  readonly module: string
  /** Style sheets besides the one that all pages have: paths below `src`, with the ending. */
  readonly styles?: readonly string[]
  /** What stands in the body: a file below `src`, of our own. Nothing from outside is ever put into it. */
  readonly body: string
  /** Default `en`. */
  readonly language?: string
}

/** What a browser may do in our pages: load from here, talk to here, nothing else; no script or style in the document. */
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

/** A page as HTML, to be sent with `PAGE_HEADERS`. Read once, when the server starts. */
export function pageDocument({ title, module, styles = [], body, language = 'en' }: PageParts): string {
  const sheets = ['pages/page/base.css', ...styles]
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" type="image/svg+xml" href="${FILES_PATH}/pages/page/icon.svg">
${sheets.map(sheet => `<link rel="stylesheet" href="${FILES_PATH}/${sheet}">`).join('\n')}
<script type="module" src="${FILES_PATH}/${module}${SOURCE.ending}"></script>
</head>
<body>
${readFileSync(new URL(body, SOURCE.folder), 'utf8').trimEnd()}
</body>
</html>
`
}

/** `text` as it can stand in HTML, in attributes too. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
