import { element, fromRoot, made } from '../../../pages/page/dom.ts'
import type { Outbound } from '../protocol.ts'
import { joinToken } from './connection.ts'
import { say } from './words.ts'

/** The part of the library `uqr` that is used; the server serves its module. */
interface QrEncoder {
  encode(
    text: string,
    options: { readonly ecc: 'M'; readonly border: number },
  ): { readonly size: number; readonly data: readonly (readonly boolean[])[] }
}

/** Quiet zone that readers need, in modules (ISO/IEC 18004). */
const BORDER = 4
const SVG = 'http://www.w3.org/2000/svg'

let encoder: Promise<QrEncoder> | undefined

/** Draws `text` as a QR code into `place`, always dark on white. The library is loaded with the first code. */
async function drawQrCode(place: Element, text: string): Promise<void> {
  encoder ??= import(fromRoot('talk/qr.js').href) as Promise<QrEncoder>
  const { size, data } = (await encoder).encode(text, { ecc: 'M', border: BORDER })
  const code = document.createElementNS(SVG, 'svg')
  code.setAttribute('viewBox', `0 0 ${size} ${size}`)
  code.setAttribute('shape-rendering', 'crispEdges')
  code.append(shape(`M0 0h${size}v${size}h-${size}z`, '#ffffff'))
  const dark = data.flatMap((row, y) => row.flatMap((module, x) => (module ? [`M${x} ${y}h1v1h-1z`] : [])))
  code.append(shape(dark.join(''), '#000000'))
  place.replaceChildren(code)
}

function shape(path: string, color: string): SVGPathElement {
  const one = document.createElementNS(SVG, 'path')
  one.setAttribute('d', path)
  one.setAttribute('fill', color)
  return one
}

/** Host names that mean a different machine for every visitor. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

const panel = element('invited', HTMLElement)
const link = element('link', HTMLInputElement)
const qr = element('qr', HTMLElement)
const copy = element('copy', HTMLButtonElement)
const share = element('share', HTMLButtonElement)
const listenLink = element('listen-link', HTMLInputElement)
const copyListen = element('copy-listen', HTMLButtonElement)

/** Shows an invitation to the room: its link, to copy, share or scan, and its code for other channels. */
export class Invitation {
  #latest: { readonly token: string | undefined; readonly until: number } | undefined

  /** The token of the latest link while it is valid: who made it can use it, too. */
  get token(): string | undefined {
    return this.#latest && performance.now() < this.#latest.until ? this.#latest.token : undefined
  }

  /** Later calls have nothing to do with this room. */
  forget(): void {
    this.#latest = undefined
  }

  /** Reacts to its buttons from now on. */
  listen(): void {
    copy.addEventListener('click', () => void copyFrom(link, copy))
    copyListen.addEventListener('click', () => void copyFrom(listenLink, copyListen))
    for (const field of [link, listenLink]) field.addEventListener('focus', () => field.select())
    share.addEventListener('click', () => void this.#share())
    element('invited-close', HTMLButtonElement).addEventListener('click', () => this.#close())
    panel.addEventListener('keydown', ({ key }) => key === 'Escape' && this.#close())
  }

  /** Hides it, also when it has expired. */
  hide(): void {
    panel.hidden = true
  }

  /** Shows it and moves focus to it. */
  show(message: Extract<Outbound, { kind: 'invited' }>): void {
    const { path, listenPath, publicUrl, code, numbers, discord, endsInMs } = message
    panel.hidden = false
    this.#latest = { token: joinToken(path), until: performance.now() + endsInMs }
    // Others can use this page’s address, unless it is only valid on this machine.
    const base =
      publicUrl !== undefined && LOOPBACK.has(location.hostname) ? publicUrl.replace(/\/+$/, '') : undefined
    const fragment = (of: string) => of.slice(of.indexOf('#'))
    link.value = base === undefined ? location.origin + location.pathname + fragment(path) : base + path
    listenLink.value = base === undefined ? fromRoot('listen').href + fragment(listenPath) : base + listenPath
    element('invite-hint', HTMLElement).textContent = say('inviteHint', Math.round(endsInMs / 60_000))
    element('invite-code', HTMLElement).hidden = code === undefined
    element('code-shown', HTMLElement).textContent = (code ?? '').replace(/^(\d{4})(?=\d{4}$)/, '$1 ')
    const here = LOOPBACK.has(new URL(link.value).hostname)
    element('invite-here', HTMLElement).hidden = !here
    element('tunnel-command', HTMLElement).textContent = `cloudflared tunnel --url ${location.origin}`
    element('restart-command', HTMLElement).textContent = 'DRAGOMAN_PUBLIC_URL=https://… npm start'
    share.hidden = here || typeof navigator.share !== 'function'
    qr.hidden = here
    // Without it, the link can still be copied.
    if (!here) void drawQrCode(qr, link.value).catch(() => qr.replaceChildren())
    const ways = [
      ...(numbers.length === 0 ? [] : [say('numbersHint', numbers.join(', '))]),
      ...(discord ? [say('discordHint', code ?? '')] : []),
      say('pageHint', say('code')),
    ]
    element('code-ways', HTMLElement).replaceChildren(...ways.map(way => made('li', way)))
    link.focus()
  }

  #close(): void {
    this.hide()
    element('invite', HTMLButtonElement).focus()
  }

  async #share(): Promise<void> {
    try {
      await navigator.share({ url: link.value, title: document.title })
    } catch {
      // Canceled, or not possible: the link can still be copied.
      link.focus()
    }
  }
}

async function copyFrom(field: HTMLInputElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(field.value)
    button.textContent = say('copied')
    setTimeout(() => {
      button.textContent = say('copy')
    }, 2_000)
  } catch {
    field.focus()
  }
}
