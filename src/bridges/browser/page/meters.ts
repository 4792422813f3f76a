import { element } from '../../../pages/page/element.ts'
import { say } from './words.ts'

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
