import { html } from './ui.ts'

/** `75 000` ms → `1:15`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** `1 250` ms → `1.3 s`; below a second `250 ms`. */
export function shortly(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** The time of day of `at` (ms since 1970). */
export function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour12: false })
}

/** `2 legs`, `1 leg`. */
export function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Text in which parts between backticks are code. */
export function marked(text: string) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))
}
