import { createHash } from 'node:crypto'
import { contentPolicy } from './http-hardening.ts'

/**
 * Pages of one response: without scripts or any other request, so that they work below every prefix, for addresses
 * whose files are rejected, and in servers without the files of the interactive pages.
 */

const STYLE = `:root{color-scheme:light dark;--paper:light-dark(#f7f6f2,#14181a);--card:light-dark(#fff,#1d2326);--sunken:light-dark(#edebe4,#0f1214);--line:light-dark(#dbd8ce,#333c41);--edge:light-dark(#7d837f,#75828a);--ink:light-dark(#1b2124,#eceff0);--faint:light-dark(#556066,#a7b4ba);--accent:light-dark(#0b6b5d,#5fd0ba);--on-accent:light-dark(#fff,#06231e);--second:light-dark(#854706,#f0b568);--second-soft:light-dark(#faeedd,#352818);--focus:light-dark(#0b57d0,#8ab4ff);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink)}
h1,h2,h3{line-height:1.2;margin:0;overflow-wrap:anywhere;text-wrap:balance}
p,ul,dl,dd{margin:0}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
code,pre{font-family:ui-monospace,"Cascadia Mono",Menlo,Consolas,monospace;font-size:.9em}
code{overflow-wrap:anywhere}
pre{margin:0;padding:.75rem;border-radius:8px;background:var(--sunken);line-height:1.5;overflow-x:auto}
.faint{color:var(--faint)}
.top{display:flex;align-items:center;min-height:3.5rem;padding:.5rem clamp(1rem,3vw,2rem)}
.brand{display:inline-flex;align-items:center;gap:.5rem;min-height:2.75rem;font-size:1.125rem;font-weight:700;color:var(--ink);text-decoration:none}
.brand svg{width:1.75rem;height:1.75rem;flex:none}
.button{display:inline-flex;align-items:center;min-height:2.75rem;padding:.5rem 1rem;border-radius:12px;font-weight:600;text-decoration:none;background:var(--accent);color:var(--on-accent)}
`

const LOGO = `<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0b6b5d"/><path d="M6 12.5A3.5 3.5 0 0 1 9.5 9h8a3.5 3.5 0 0 1 0 7H13l-4 3.5v-3.6a3.5 3.5 0 0 1-3-3.4z" fill="#fff"/><path d="M26 19.5a3.5 3.5 0 0 0-3.5-3.5h-6a3.5 3.5 0 0 0 0 7H20l3.5 3v-3.1a3.5 3.5 0 0 0 2.5-3.4z" fill="#9fe3d3"/></svg>`

const ICON = encodeURIComponent(LOGO.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"'))

export interface StandalonePage {
  /** Default `en`. */
  readonly language?: string
  readonly title: string
  /** Rules in addition to the shared ones. */
  readonly style: string
  /** Address of the product’s name in the header; absent: no link. */
  readonly home?: string | undefined
  /** HTML, with every dynamic value escaped. */
  readonly body: string
}

/** Renders a page that is sent with the headers of `standaloneHeaders`. */
export function standalonePage({ language = 'en', title, style, home, body }: StandalonePage): string {
  const brand = `${LOGO} Dragoman`
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
<style>${STYLE}${style}</style>
</head>
<body>
<header class="top">${home === undefined ? `<span class="brand">${brand}</span>` : `<a class="brand" href="${escaped(home)}">${brand}</a>`}</header>
${body}
</body>
</html>
`
}

/** Returns the headers of a page with `style`. They allow only this style. */
export function standaloneHeaders(style: string): Readonly<Record<string, string>> {
  const digest = createHash('sha256')
    .update(STYLE + style)
    .digest('base64')
  return {
    'content-security-policy': contentPolicy(`style-src 'sha256-${digest}'`, 'img-src data:'),
    'content-type': 'text/html; charset=utf-8',
  }
}

/** Escapes `text` for HTML, including attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** Escapes `text` and renders its parts between backticks as code. */
export function marked(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}
