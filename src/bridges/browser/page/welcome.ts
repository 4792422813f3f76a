import { primaryLanguage } from '../../../common/language.ts'
import { element } from '../../../pages/page/dom.ts'
import { hearable } from '../../../pages/page/languages.ts'
import type { JoinRefusal } from '../protocol.ts'
import type { Catalog } from './language-picker.ts'
import { nameIn } from './my-language.ts'
import { pageLanguage, say, type Words } from './words.ts'

export const recording = element('recording', HTMLSelectElement)
const play = element('play', HTMLButtonElement)
const lead = element('lead', HTMLElement)
/** Who was in the call when the page was opened. */
export const present = element('present', HTMLElement)
const truth = element('truth', HTMLElement)
const code = element('code', HTMLInputElement)
const codeStatus = element('code-status', HTMLElement)
const anew = element('anew', HTMLAnchorElement)
const toDashboard = element('to-dashboard', HTMLAnchorElement)

/** Action of the start button. */
export type Offer = 'start' | 'join' | 'again' | 'rejoin' | 'continueHere'

/** The visitor's possible actions on this page, or why the page offers none. */
export interface Welcome {
  readonly offer: Offer
  readonly obstacle: Words | undefined
}

/** Shows a visitor, with or without `link`, their call partners and the actions before a call. */
export function showWelcome(catalog: Catalog, link: string | undefined): Welcome {
  const { invited, inviter, present: names = [], recordings, dashboard, welcome } = catalog
  for (const { url, text } of recordings) recording.append(new Option(text, url))
  play.disabled = recordings.length === 0
  element('recordings-card', HTMLElement).hidden = recordings.length === 0
  // Whoever follows a link, even a wrong one, is a guest.
  if (dashboard !== undefined && link === undefined) {
    toDashboard.href = dashboard
    toDashboard.hidden = false
  }
  const understands = showTruth(catalog)
  if (!isSecureContext) return { offer: 'start', obstacle: 'insecure' }
  document.body.toggleAttribute('data-speechless', !understands && link === undefined)
  if (link === undefined) return { offer: 'start', obstacle: understands ? undefined : 'leadNone' }
  if (!invited) {
    // Without the fragment the address is another document, so the page is loaded again.
    anew.href = location.pathname
    anew.hidden = !welcome
    lead.textContent = say('noCall')
    truth.hidden = true
    document.body.toggleAttribute('data-expired', true)
    return { offer: 'start', obstacle: 'refused-expired' }
  }
  lead.textContent = inviter === undefined ? say('invited') : say('invitedBy', inviter)
  present.hidden = names.length === 0
  present.textContent = say('present', listed(names))
  return { offer: 'join', obstacle: undefined }
}

/**
 * The headline promises what this server can do: a choice of languages so short that it looks like a bug is the
 * headline itself, with the step to a longer one for whoever runs the server. Returns false if it can do nothing.
 */
function showTruth({ languages, engines = [], operator = false }: Catalog): boolean {
  const heard = languages.filter(each => each.heard)
  const understood = new Set(heard.map(({ id }) => primaryLanguage(id)))
  const [only] = heard
  const few = understood.size < 2
  if (only === undefined) lead.textContent = say('leadNone')
  else if (few) {
    const others = new Set(hearable(languages).map(({ id }) => primaryLanguage(id)))
    others.delete(primaryLanguage(only.id))
    lead.textContent = say('leadOne', nameIn(only.id))
    truth.hidden = others.size === 0
    truth.textContent = say('oneSpoken', nameIn(only.id), listed(Array.from(others, nameIn)))
  }
  element('operator', HTMLElement).hidden = !operator
  const names = element('engines', HTMLElement)
  names.hidden = engines.length === 0
  names.textContent = say('engines', engines.join(', '))
  element('more-languages', HTMLElement).hidden = !few
  element('more-languages-command', HTMLElement).textContent = MORE_LANGUAGES
  return only !== undefined
}

/** Downloads models for two languages, as an example. */
const MORE_LANGUAGES = 'npm run dragoman -- models add en es'

function listed(names: readonly string[]): string {
  return new Intl.ListFormat(pageLanguage).format(names)
}

const CODE_REFUSALS: readonly JoinRefusal[] = ['code', 'too-many-codes']

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
  refuse(why: JoinRefusal): boolean {
    if (!CODE_REFUSALS.includes(why)) return false
    codeStatus.textContent = say(`refused-${why}`)
    codeStatus.dataset.kind = 'bad'
    code.setAttribute('aria-invalid', 'true')
    code.focus()
    return true
  },
}
