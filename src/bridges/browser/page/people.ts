import { element, made } from '../../../pages/page/dom.ts'
import type { Outbound, PartyView } from '../protocol.ts'
import { hasWords, say } from './words.ts'

const you = element('level-you', HTMLElement)
const them = element('level-them', HTMLElement)
const delay = element('delay', HTMLElement)
/** Level at which the bar is empty (dBFS). */
const FLOOR_DB = -55

/** Shows input and output levels and the delay of translations. */
export const meters = {
  you: (level: number): void => you.style.setProperty('--level', share(level)),
  them: (level: number): void => them.style.setProperty('--level', share(level)),
  delay(ms: number | undefined): void {
    delay.textContent =
      ms === undefined
        ? '–'
        : say('delayOf', { seconds: new Intl.NumberFormat(undefined, DIGITS).format(ms / 1_000) })
  },
}

const DIGITS = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const

/** Returns the share of the bar on a logarithmic scale. */
function share(level: number): string {
  const db = 20 * Math.log10(Math.max(level, 1e-6))
  return Math.max(0, Math.min(1, 1 - (db + 10) / (FLOOR_DB + 10))).toFixed(2)
}

/** Host names that mean a different machine for every visitor. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

type Invited = Extract<Outbound, { kind: 'invited' }>

const card = element('people-card', HTMLElement)
const list = element('people', HTMLUListElement)
const invited = element('invited', HTMLElement)
const link = element('link', HTMLInputElement)
const copy = element('copy', HTMLButtonElement)
const shareLink = element('share', HTMLButtonElement)

/** Lists the participants of the room and shows invitations to it. */
export class People {
  readonly #nameOf: (language: string) => string

  /** `nameOf` returns the name of a language. */
  constructor(nameOf: (language: string) => string) {
    this.#nameOf = nameOf
    // It scrolls in a narrow window, so it must be focusable.
    list.tabIndex = 0
    copy.addEventListener('click', () => void this.#copy())
    link.addEventListener('focus', () => link.select())
    shareLink.addEventListener('click', () => void this.#share())
    element('invited-close', HTMLButtonElement).addEventListener('click', () => this.forgetInvitation())
  }

  show(parties: readonly PartyView[]): void {
    card.hidden = false
    list.replaceChildren(...parties.map(party => made('li', this.#line(party))))
  }

  hide(): void {
    card.hidden = true
    this.forgetInvitation()
  }

  /** Hides an expired invitation. */
  forgetInvitation(): void {
    invited.hidden = true
  }

  /** Shows an invitation and moves focus to it. */
  invite({ path, publicUrl, code, numbers, discord, endsInMs }: Invited): void {
    invited.hidden = false
    // Others can use this page’s address, unless it is only valid on this machine.
    link.value =
      publicUrl !== undefined && LOOPBACK.has(location.hostname)
        ? publicUrl.replace(/\/+$/, '') + path
        : location.origin + location.pathname + path.slice(path.indexOf('#'))
    const minutes = String(Math.round(endsInMs / 60_000))
    element('invite-hint', HTMLElement).textContent = say('inviteHint', { minutes })
    element('invite-code', HTMLElement).hidden = code === undefined
    element('code-shown', HTMLElement).textContent = (code ?? '').replace(/^(\d{3})(?=\d{3}$)/, '$1 ')
    const here = LOOPBACK.has(new URL(link.value).hostname)
    element('invite-here', HTMLElement).hidden = !here
    shareLink.hidden = here || typeof navigator.share !== 'function'
    const ways = [
      ...(numbers.length === 0 ? [] : [say('numbersHint', { numbers: numbers.join(', ') })]),
      ...(discord ? [say('discordHint', { code: code ?? '' })] : []),
      say('pageHint', { heading: say('code') }),
    ]
    element('code-ways', HTMLElement).replaceChildren(...ways.map(way => made('li', way)))
    link.focus()
  }

  #line({ you, name, channel, speaks, muted, absent }: PartyView): string {
    // Listeners in a voice channel, without a name or language.
    if (channel === 'discord' && name === undefined && speaks === undefined) return say('channelHere')
    const key = `channel-${channel}`
    const who = name ?? say(you ? 'you' : 'unnamed')
    return [
      you && name !== undefined ? say('youHere', { name: who }) : who,
      say(hasWords(key) ? key : 'channel-other'),
      ...(speaks === undefined ? [] : [say('speaks', { language: this.#nameOf(speaks) })]),
      ...(muted ? [say('mutedHere')] : []),
      ...(absent ? [say('absentHere')] : []),
    ].join(', ')
  }

  async #share(): Promise<void> {
    try {
      await navigator.share({ url: link.value, title: document.title })
    } catch {
      // Canceled, or not possible: the link can still be copied.
      link.focus()
    }
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(link.value)
      copy.textContent = say('copied')
      setTimeout(() => {
        copy.textContent = say('copy')
      }, 2_000)
    } catch {
      link.focus()
    }
  }
}
