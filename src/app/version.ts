import { readFileSync } from 'node:fs'

/** Returns the version from package.json, which is next to both `src` and the build output. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
