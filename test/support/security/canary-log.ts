import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'

/** Records everything that a log at trace level would hold, as pino writes it without redaction. */
export class CanaryLog {
  readonly #lines: string[] = []
  readonly log = pino({ level: 'trace' }, { write: line => void this.#lines.push(line) })

  get lines(): readonly string[] {
    return this.#lines
  }
}

/** The encodings in which a text can appear. */
export function formsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    bytes.toString('base64').slice(0, -4),
    bytes.toString('base64url').slice(0, -4),
    bytes.toString('hex'),
  ]
}

/** Names of the `canaries` that appear in `text`. */
export function hitsIn(text: string, canaries: Readonly<Record<string, string>>): string[] {
  return Object.entries(canaries).flatMap(([name, canary]) =>
    formsOf(canary).some(form => form.length > 5 && text.includes(form)) ? [name] : [],
  )
}

/** Every file below the folder `path`, with its content. */
export function filesIn(path: string): { path: string; text: string }[] {
  return readdirSync(path).flatMap(name => {
    const file = join(path, name)
    return statSync(file).isDirectory() ? filesIn(file) : [{ path: file, text: readFileSync(file, 'latin1') }]
  })
}
