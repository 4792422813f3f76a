import { randomBytes } from 'node:crypto'
import type { Config } from '../config/load.ts'

/** 144 bits, 24 characters: the required minimum, and short enough for a terminal line. */
const KEY_BYTES = 18

/** Name of the key created at startup, for the log. */
const START_KEY_NAME = 'start'

/** Returns `config` with an additional control API key that is valid for this run. */
export function withStartKey(config: Config): { readonly config: Config; readonly key: string } {
  const key = randomBytes(KEY_BYTES).toString('base64url')
  const keys = [...config.control.keys, { name: START_KEY_NAME, key }]
  return { config: { ...config, control: { ...config.control, keys } }, key }
}
