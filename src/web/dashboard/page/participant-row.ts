import { made } from '../../../pages/page/dom.ts'
import { shortLanguageName } from '../../../pages/page/languages.ts'
import type { LegFigures } from '../protocol.ts'
import type { ShownLeg } from './board.ts'
import { channelName, participantName } from './figures.ts'
import { duration, say, shortly } from './format.ts'
import { Curve } from './svg.ts'

/** Lag shown as a problem from this value (ms). */
const LATE_MS = 3_000
/** Level from which a participant counts as speaking. */
const SPEAKING = 40
/** Number of colors for the initials. */
const COLORS = 8

/** Returns the channel of a participant for people. */
export function channelOf({ channel, simulated }: LegFigures): string {
  return simulated ? 'Simulated' : channelName(channel)
}

/** A state of a participant in words. */
interface Mark {
  readonly text: string
  /** `bad` is a problem, `good` is translation in progress. */
  readonly mood: 'good' | 'bad' | 'plain'
}

/** Returns what happens to the voice of a participant. */
function marksOf({ present, muted, interpreting, speaks, sessions, lacks }: LegFigures): readonly Mark[] {
  const marks: Mark[] = []
  if (!present) marks.push({ text: 'Reconnecting', mood: 'bad' })
  if (muted) marks.push({ text: 'Muted', mood: 'plain' })
  if (!interpreting) marks.push({ text: 'Original voice', mood: 'plain' })
  else if (sessions.some(({ unavailable }) => unavailable))
    marks.push({ text: 'Original voice', mood: 'bad' })
  else if (sessions.some(({ status }) => status === 'opening'))
    marks.push({ text: 'Connecting', mood: 'plain' })
  else if (sessions.some(({ status }) => status === 'live') && !muted)
    marks.push({ text: 'Translating', mood: 'good' })
  else if (sessions.length > 0 && !muted) marks.push({ text: 'Ready', mood: 'plain' })
  if (lacks.length > 0) marks.push({ text: `No translation of ${lacks.join(', ')}`, mood: 'bad' })
  if (marks.length === 0) marks.push({ text: speaks === null ? 'Listening' : 'Same language', mood: 'plain' })
  return marks
}

/** A participant in the table of a room. Only changed elements are updated. */
export class ParticipantRow {
  readonly element = made('tr')
  readonly button = made('button', 'Control', 'small')
  readonly #face = made('span', '', 'face')
  readonly #name = made('bdi')
  readonly #channel = made('small')
  readonly #languages: HTMLElement
  readonly #level = made('span', '', 'level')
  readonly #speaking = made('span', '', 'aloud')
  readonly #lag = made('span', '', 'lag', 'figure')
  readonly #curve = new Curve(2_000)
  readonly #state: HTMLElement
  readonly #for: HTMLElement
  #shown: LegFigures | undefined
  #offered: readonly string[] = []
  #shownLevel = -1

  constructor(open: () => void) {
    this.element.setAttribute('role', 'row')
    const head = this.#cell('th', '', 'who')
    head.scope = 'row'
    this.#face.setAttribute('aria-hidden', 'true')
    const who = made('span')
    who.append(this.#name, this.#channel)
    head.append(this.#face, who)
    this.#languages = this.#cell('td', 'Languages')
    this.#cell('td', 'Level').append(this.#level, this.#speaking)
    this.#cell('td', 'Lag').append(this.#curve.element, this.#lag)
    this.#state = this.#cell('td', 'State')
    this.#for = this.#cell('td', 'Duration', 'figure')
    this.#cell('td', '', 'act').append(this.button)
    this.button.type = 'button'
    this.button.setAttribute('aria-haspopup', 'dialog')
    this.button.addEventListener('click', open)
  }

  /** `at`: server time; `offered`: languages whose variants must be distinguished. */
  show({ figures, lagMs, curve }: ShownLeg, at: number, offered: readonly string[]): void {
    if (figures !== this.#shown || offered !== this.#offered) this.#figures(figures, offered)
    this.#shown = figures
    this.#offered = offered
    say(this.#lag, shortly(lagMs))
    this.#curve.draw(curve.points, lagMs >= LATE_MS)
    say(this.#for, duration(at - figures.since))
    say(this.#speaking, figures.muted ? 'muted' : this.#shownLevel >= SPEAKING ? 'speaking' : 'quiet')
  }

  level(level: number): void {
    if (level === this.#shownLevel) return
    this.#shownLevel = level
    this.#level.style.setProperty('--level', String(level))
  }

  #figures(figures: LegFigures, offered: readonly string[]): void {
    const { n, present, speaks, hears } = figures
    const name = participantName(figures)
    say(this.#name, name)
    say(this.#face, [...name][0]?.toUpperCase() ?? '')
    this.#face.dataset.voice = String(n % COLORS)
    say(this.#channel, channelOf(figures))
    this.element.classList.toggle('absent', !present)
    say(this.#languages, languagesOf(speaks, hears, offered))
    this.#state.replaceChildren(
      ...marksOf(figures).map(({ text, mood }) => {
        const one = made('span', text, 'chip')
        one.dataset.mood = mood
        return one
      }),
    )
    this.button.setAttribute('aria-label', `Control ${name}`)
  }

  #cell<K extends 'td' | 'th'>(kind: K, label: string, ...classes: string[]): HTMLElementTagNameMap[K] {
    const cell = made(kind, '', ...classes)
    cell.setAttribute('role', kind === 'th' ? 'rowheader' : 'cell')
    if (label) cell.dataset.label = label
    this.element.append(cell)
    return cell
  }
}

function languagesOf(speaks: string | null, hears: string | null, offered: readonly string[]): string {
  const [from, to] = [speaks, hears].map(each => each && shortLanguageName(each, offered))
  if (!from) return to ? `Hears ${to}` : 'Hears originals'
  if (!to) return `${from}, hears originals`
  return from === to ? from : `${from} → ${to}`
}
