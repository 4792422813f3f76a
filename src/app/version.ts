import { readFileSync } from 'node:fs'

/** That of the package, which lies beside the sources as beside what is built of them. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
