import type { Audience } from '../../../core/model/audience.ts'
import { element, made } from '../../../pages/page/dom.ts'
import type { ShownParty } from './missing-people.ts'
import { nameIn } from './my-language.ts'
import { hasWords, pageLanguage, say } from './words.ts'

const you = element('level-you', HTMLElement)
/** The same, where the microphone is chosen. */
const test = element('level-test', HTMLElement)
const them = element('level-them', HTMLElement)
const delay = element('delay', HTMLElement)
/** Level at which the bar is empty (dBFS). */
const FLOOR_DB = -55

/** Shows input and output levels and the delay of translations. */
export const meters = {
  you(level: number): void {
    for (const bar of [you, test]) bar.style.setProperty('--level', share(level))
  },
  them: (level: number): void => them.style.setProperty('--level', share(level)),
  delay(ms: number | undefined): void {
    delay.textContent =
      ms === undefined ? '–' : say('delayOf', new Intl.NumberFormat(pageLanguage, DIGITS).format(ms / 1_000))
  },
}

const DIGITS = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const

/** Returns the share of the bar on a logarithmic scale. */
function share(level: number): string {
  const db = 20 * Math.log10(Math.max(level, 1e-6))
  return Math.max(0, Math.min(1, 1 - (db + 10) / (FLOOR_DB + 10))).toFixed(2)
}

const card = element('people-card', HTMLElement)
const list = element('people', HTMLUListElement)
const listeners = element('listeners', HTMLElement)

/** Lists the participants of the room. */
export class People {
  constructor() {
    // It scrolls in a narrow window, so it must be focusable.
    list.tabIndex = 0
  }

  show(parties: readonly ShownParty[]): void {
    card.hidden = false
    list.replaceChildren(
      ...parties.map(party => {
        const [name = '', ...about] = this.#parts(party)
        const item = made('li')
        item.append(
          made('b', name),
          ...about.map(each => made('span', `, ${each}`, 'about')),
          ...this.#condition(party).map(each => made('span', `, ${each}`, 'condition')),
        )
        item.title = item.textContent
        return item
      }),
    )
  }

  /** Shows how many people listen in which language by links for listening. */
  audiences(audiences: readonly Audience[]): void {
    const sum = audiences.reduce((total, each) => total + each.listeners, 0)
    const each = audiences.map(({ language, listeners: count }) => `${nameIn(language)} ${count}`)
    listeners.hidden = sum === 0
    listeners.textContent = sum === 0 ? '' : say('listeners', sum, each.join(', '))
  }

  hide(): void {
    card.hidden = true
  }

  /** Why they cannot be heard, if so. */
  #condition({ muted, absent, missing }: ShownParty): string[] {
    return [
      ...(muted ? [say('mutedHere')] : []),
      ...(missing ? [say('missingHere')] : absent ? [say('absentHere')] : []),
    ]
  }

  /** Their name, and what else is known about them. */
  #parts({ you, name, channel, speaks, hears }: ShownParty): string[] {
    // Listeners in a voice channel, without a name or language.
    if (channel === 'discord' && name === undefined && speaks === undefined) return [say('channelHere')]
    // Every other channel is a phone carrier.
    const key = `channel-${channel}`
    const who = name ?? say(you ? 'you' : 'unnamed')
    return [
      you && name !== undefined ? say('youHere', who) : who,
      // Almost everyone is in a browser.
      ...(channel === 'browser' ? [] : [say(hasWords(key) ? (key as 'channel-phone') : 'channel-phone')]),
      ...(speaks === undefined ? [] : [say('speaks', nameIn(speaks))]),
      ...(speaks !== undefined || hears === undefined ? [] : [say('listensIn', nameIn(hears))]),
    ]
  }
}
