import { element } from '../../../pages/page/dom.ts'
import type { Refused } from '../protocol.ts'
import { isListening } from './connection.ts'
import type { Catalog } from './language-picker.ts'
import { pageLanguage, say, type Words } from './words.ts'

export const recording = element('recording', HTMLSelectElement)
const play = element('play', HTMLButtonElement)
const lead = element('lead', HTMLElement)
const present = element('present', HTMLElement)
const code = element('code', HTMLInputElement)
const codeStatus = element('code-status', HTMLElement)
const anew = element('anew', HTMLAnchorElement)
const toDashboard = element('to-dashboard', HTMLAnchorElement)

/** Action of the start button. */
export type Offer = 'start' | 'join' | 'listen' | 'again'

/** The visitor's possible actions on this page, or why the page offers none. */
export interface Welcome {
  readonly offer: Offer
  readonly obstacle: Words | undefined
}

/** Shows a visitor, with or without `link`, their call partners and the actions before a call. */
export function showWelcome(catalog: Catalog, link: string | undefined): Welcome {
  const { invited, inviter, present: names = [], recordings, dashboard, welcome } = catalog
  const listening = isListening(link)
  document.body.toggleAttribute('data-listening', listening)
  for (const { url, text } of recordings) recording.append(new Option(text, url))
  play.disabled = recordings.length === 0
  if (dashboard !== undefined) {
    toDashboard.href = dashboard
    toDashboard.hidden = false
  }
  if (!isSecureContext) return { offer: 'start', obstacle: 'insecure' }
  if (link === undefined) return { offer: 'start', obstacle: undefined }
  if (!invited) {
    // Without the fragment the address is another document, so the page is loaded again.
    anew.href = location.pathname
    anew.hidden = !welcome
    lead.textContent = say('noCall')
    document.body.toggleAttribute('data-expired', true)
    return { offer: 'start', obstacle: 'refused-expired' }
  }
  lead.textContent = inviter === undefined ? say('invited') : say('invitedBy', inviter)
  present.hidden = names.length === 0
  present.textContent = say('present', new Intl.ListFormat(pageLanguage).format(names))
  return { offer: listening ? 'listen' : 'join', obstacle: undefined }
}

const CODE_REFUSALS: readonly Refused[] = ['code', 'too-many-codes']

/** The field for a code. A refused one is reported below it. */
export const codeEntry = {
  get digits(): string {
    return code.value.replace(/\P{Nd}/gu, '')
  },
  clear(): void {
    codeStatus.textContent = ''
    code.removeAttribute('aria-invalid')
  },
  /** Returns false if `why` is not about the code. */
  refuse(why: Refused): boolean {
    if (!CODE_REFUSALS.includes(why)) return false
    codeStatus.textContent = say(`refused-${why}`)
    codeStatus.dataset.kind = 'bad'
    code.setAttribute('aria-invalid', 'true')
    code.focus()
    return true
  },
}
