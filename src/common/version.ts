import { readFileSync } from 'node:fs'

const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')

/** The version in package.json, which is next to both `src` and the build output. */
export const { version } = JSON.parse(file) as { readonly version: string }
