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
  /** Where the files are, as seen from the page; default `FILES_PATH`. */
  readonly files?: string
  /** What the addresses of the page's own requests begin with, as seen from the page: `../`. Its scripts find it at the document. */
  readonly root?: string
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
export function pageDocument(parts: PageParts): string {
  const { title, module, styles = [], body, language = 'en', files = FILES_PATH, root } = parts
  const sheets = ['pages/page/base.css', ...styles]
  return `<!doctype html>
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
`
}

/** `text` as it can stand in HTML, in attributes too. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
