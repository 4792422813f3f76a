import { element, made } from '../../../pages/page/element.ts'
import type { Outbound, PartyView } from '../messages.ts'
import { hasWords, say } from './words.ts'

/** Host names that mean a different machine for every visitor. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

type Invited = Extract<Outbound, { kind: 'invited' }>

const card = element('people-card', HTMLElement)
const list = element('people', HTMLUListElement)
const invited = element('invited', HTMLElement)
const link = element('link', HTMLInputElement)
const copy = element('copy', HTMLButtonElement)

/** Lists the participants of the room and shows invitations to it. */
export class People {
  readonly #nameOf: (language: string) => string

  /** `nameOf` returns the name of a language. */
  constructor(nameOf: (language: string) => string) {
    this.#nameOf = nameOf
    copy.addEventListener('click', () => void this.#copy())
    link.addEventListener('focus', () => link.select())
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
    element('invite-here', HTMLElement).hidden = !LOOPBACK.has(new URL(link.value).hostname)
    const ways = [
      ...(numbers.length === 0 ? [] : [say('numbersHint', { numbers: numbers.join(', ') })]),
      ...(discord ? [say('discordHint', { code: code ?? '' })] : []),
      say('pageHint', { heading: say('code') }),
    ]
    element('code-ways', HTMLElement).replaceChildren(...ways.map(way => made('li', way)))
    link.focus()
  }

  #line({ you, name, channel, speaks, muted, away }: PartyView): string {
    // Listeners in a voice channel, without a name or language.
    if (channel === 'discord' && name === undefined && speaks === undefined) return say('channelHere')
    const key = `channel-${channel}`
    const who = name ?? say(you ? 'you' : 'unnamed')
    return [
      you && name !== undefined ? say('youHere', { name: who }) : who,
      say(hasWords(key) ? key : 'channel-other'),
      ...(speaks === undefined ? [] : [say('speaks', { language: this.#nameOf(speaks) })]),
      ...(muted ? [say('mutedHere')] : []),
      ...(away ? [say('awayHere')] : []),
    ].join(', ')
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
