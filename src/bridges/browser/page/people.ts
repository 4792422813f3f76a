import { element, made } from '../../../pages/page/element.ts'
import type { Outbound, PartyView } from '../messages.ts'
import { hasWords, say } from './words.ts'

/** Names that mean another machine to everybody else. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

type Invited = Extract<Outbound, { kind: 'invited' }>

const card = element('people-card', HTMLElement)
const list = element('people', HTMLUListElement)
const invited = element('invited', HTMLElement)
const link = element('link', HTMLInputElement)
const copy = element('copy', HTMLButtonElement)

/** Who is in the room, and how others get into it. */
export class People {
  readonly #nameOf: (language: string) => string

  /** `nameOf` says what a language is called. */
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

  /** What it shows leads nowhere any more. */
  forgetInvitation(): void {
    invited.hidden = true
  }

  /** Shows how somebody else comes in, and goes there. */
  invite({ path, publicUrl, code, numbers, discord, endsInMs }: Invited): void {
    invited.hidden = false
    // Where others reach this page: here, unless only this machine does.
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
    // Whoever listens there, without a name or a language of their own.
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
