import { element } from '../../../pages/page/dom.ts'
import { isListening } from './connection.ts'
import type { Catalog } from './language-picker.ts'
import { say, type Words } from './words.ts'

export const recording = element('recording', HTMLSelectElement)
const play = element('play', HTMLButtonElement)
const lead = element('lead', HTMLElement)
const present = element('present', HTMLElement)
const anew = element('anew', HTMLAnchorElement)
const toDashboard = element('to-dashboard', HTMLAnchorElement)

/** Action of the start button. */
export type Offer = 'start' | 'join' | 'listen'

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
    return { offer: 'start', obstacle: 'refused-link' }
  }
  lead.textContent = inviter === undefined ? say('invited') : say('invitedBy', { name: inviter })
  present.hidden = names.length === 0
  present.textContent = say('present', { names: new Intl.ListFormat(undefined).format(names) })
  return { offer: listening ? 'listen' : 'join', obstacle: undefined }
}
