import { BRIDGE_LIMITS } from '../../src/app/server.ts'
import { limitSettingsSchema } from '../../src/net/settings.ts'

/** The limits of a bridge’s server without settings. */
export const SERVED_LIMITS = { ...BRIDGE_LIMITS, ...limitSettingsSchema.parse({}) }

/** Divides a table into the entries of `schema`, which are settings, and the others, which are constants. */
export function divided(
  table: object,
  { shape }: { readonly shape: object },
): { settings: object; constants: object } {
  const entries = Object.entries(table)
  return {
    settings: Object.fromEntries(entries.filter(([name]) => name in shape)),
    constants: Object.fromEntries(entries.filter(([name]) => !(name in shape))),
  }
}
