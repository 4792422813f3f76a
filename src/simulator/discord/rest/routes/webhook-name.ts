import type { Json } from '../../json.ts'
import { FormCheck } from '../form-check.ts'

/** The requested name of a webhook; undefined if the body has none. Throws `ApiError` (Discord: Usernames). */
export function readWebhookName(body: Json, key: 'name' | 'username', required = false): string | undefined {
  const check = new FormCheck()
  const name = check.text(body, key, [], { least: 1, most: 80, required })
  for (const word of ['clyde', 'discord'])
    if (name?.toLowerCase().includes(word))
      check.fault([key], 'USERNAME_INVALID_CONTAINS', `Username cannot contain "${word}"`)
  check.end()
  return name
}
