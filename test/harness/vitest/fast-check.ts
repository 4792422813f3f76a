import { createRequire } from 'node:module'
import { PROPERTY_SEED } from './seeds.ts'

/** Replaces `fast-check` in tests (vitest.config.ts): the same, with one seed for all properties without their own. */
const fc = createRequire(import.meta.url)('fast-check') as typeof import('fast-check').default

fc.configureGlobal({ seed: PROPERTY_SEED })

// biome-ignore lint/style/noDefaultExport: it replaces a module that has one
export default fc
