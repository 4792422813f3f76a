import { element } from '../../../pages/page/element.ts'
import { say } from './words.ts'

const you = element('level-you', HTMLElement)
const them = element('level-them', HTMLElement)
const delay = element('delay', HTMLElement)
/** Quieter than this shows nothing (dBFS). */
const FLOOR_DB = -55

/** How loud it is, both ways, and how late translations are. */
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

/** Of the bar, by loudness as it is felt. */
function share(level: number): string {
  const db = 20 * Math.log10(Math.max(level, 1e-6))
  return Math.max(0, Math.min(1, 1 - (db + 10) / (FLOOR_DB + 10))).toFixed(2)
}
