import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'

/** 144 bits, 24 characters: as long as keys have to be, and short enough for a line of the terminal. */
const KEY_BYTES = 18

/** The name of the key that is made at the start, for the log. */
const START_KEY_NAME = 'start'

/** `config` with one more key of the control API, which is good for this run. */
export function withStartKey(config: Config): { readonly config: Config; readonly key: string } {
  const key = randomBytes(KEY_BYTES).toString('base64url')
  const keys = [...config.control.keys, { name: START_KEY_NAME, key }]
  return { config: { ...config, control: { ...config.control, keys } }, key }
}
