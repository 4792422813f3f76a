import { made } from '../../../pages/page/element.ts'
import type { LegFigures } from '../protocol.ts'
import type { ShownLeg } from './board.ts'
import { Curve } from './curve.ts'
import { duration, say, shortly } from './format.ts'

/** Lag shown as a problem from this value (ms). */
const LATE_MS = 3_000
/** Level from which a participant counts as speaking. */
const SPEAKING = 40

/** A leg in the table. Only changed elements are updated. */
export class LegRow {
  readonly element = made('tr')
  readonly button = made('button', 'Control', 'small')
  readonly #who = this.#cell('th', '', 'who')
  readonly #name = made('b')
  readonly #chips = made('span')
  readonly #languages = this.#cell('td', 'Languages', 'languages')
  readonly #level = made('span', '', 'level')
  readonly #speaking = made('span', '', 'aloud')
  readonly #lag = made('span', '', 'lag', 'figure')
  readonly #curve = new Curve(2_000)
  readonly #sessions: HTMLElement
  readonly #lost: HTMLElement
  readonly #back: HTMLElement
  readonly #for: HTMLElement
  #shown: LegFigures | undefined
  #shownLevel = -1

  constructor(open: () => void) {
    this.element.setAttribute('role', 'row')
    this.#who.scope = 'row'
    this.#who.append(this.#name, this.#chips)
    this.#cell('td', 'Level').append(this.#level, this.#speaking)
    this.#cell('td', 'Lag').append(this.#lag, this.#curve.element)
    this.#sessions = this.#cell('td', 'Translations')
    this.#lost = this.#cell('td', 'Lost frames', 'figure')
    this.#back = this.#cell('td', 'Reconnects', 'figure')
    this.#for = this.#cell('td', 'Duration', 'figure')
    this.#cell('td', '', 'act').append(this.button)
    this.button.type = 'button'
    this.button.addEventListener('click', open)
  }

  /** `at`: server time. */
  show({ figures, lagMs, curve }: ShownLeg, at: number): void {
    if (figures !== this.#shown) this.#figures(figures)
    this.#shown = figures
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

  #figures(figures: LegFigures): void {
    const { id, name, channel, present, muted, interpreting, speaks, hears, simulated } = figures
    say(this.#name, name ?? id)
    this.element.classList.toggle('away', !present)
    this.#chips.replaceChildren(
      chip(channel),
      ...(simulated ? [chip('simulated', 'simulated')] : []),
      ...(present ? [] : [chip('reconnecting', 'bad')]),
      ...(muted ? [chip('muted', 'bad')] : []),
      ...(interpreting ? [] : [chip('not interpreted', 'bad')]),
    )
    say(this.#languages, `${speaks ?? 'listens'} → ${hears ?? 'originals'}`)
    this.#sessions.replaceChildren(
      ...figures.sessions.map(({ to, status, drops }) =>
        chip(`${to} ${status}${drops > 0 ? `, ${drops} lost` : ''}`, status),
      ),
    )
    if (figures.sessions.length === 0) say(this.#sessions, '–')
    const { line, service } = figures.lost
    say(this.#lost, service > 0 ? `${line} + ${service}` : String(line))
    this.#lost.title = `${line} on the line, ${service} on the way to the service`
    say(this.#back, String(figures.returns))
    this.button.setAttribute('aria-label', `Control ${name ?? id}`)
  }

  #cell<K extends 'td' | 'th'>(kind: K, label: string, ...classes: string[]): HTMLElementTagNameMap[K] {
    const cell = made(kind, '', ...classes)
    cell.setAttribute('role', kind === 'th' ? 'rowheader' : 'cell')
    if (label) cell.dataset.label = label
    this.element.append(cell)
    return cell
  }
}

function chip(text: string, status = ''): HTMLElement {
  const one = made('span', text, 'chip')
  one.dataset.status = status
  return one
}
