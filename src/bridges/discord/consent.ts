import { z } from 'zod'

/**
 * Members to listen to: all except members who opt out; only members who opt in to each interpretation; or members with
 * one of the roles who do not opt out.
 */
export const CONSENT_MODES = ['opt-out', 'opt-in', 'role'] as const
export type ConsentMode = (typeof CONSENT_MODES)[number]

/** Maximum number of roles. */
const MOST_ROLES = 25

/** Fields of the consent options, also used by the settings. */
export const consentFields = {
  mode: z.enum(CONSENT_MODES, "'opt-out', 'opt-in' or 'role'").default('opt-out'),
  roles: z.array(z.string('role IDs')).max(MOST_ROLES, `up to ${MOST_ROLES} role IDs`).default([]),
}

export interface ConsentOptions {
  readonly mode: ConsentMode
  /** Role IDs. */
  readonly roles: readonly string[]
}

export const DEFAULT_CONSENT: ConsentOptions = { mode: 'opt-out', roles: [] }

/** True unless the roles are missing that the mode needs. */
export function hasRoles({ mode, roles }: ConsentOptions): boolean {
  return mode !== 'role' || roles.length > 0
}

export const ROLES_MISSING = 'at least one role, because the mode is role'

/** Why a person is not listened to. */
export type Exclusion = 'opted-out' | 'not-opted-in' | 'no-role'

export interface ConsentFacts {
  readonly options: ConsentOptions
  /** Stored or decided in this interpretation; an opt-out always wins. */
  readonly optedOut: boolean
  readonly optedIn: boolean
  readonly roleIds: readonly string[]
}

/** Returns why a person is not listened to; undefined if they are. */
export function exclusionOf({ options, optedOut, optedIn, roleIds }: ConsentFacts): Exclusion | undefined {
  if (optedOut) return 'opted-out'
  if (options.mode === 'opt-in') return optedIn ? undefined : 'not-opted-in'
  if (options.mode === 'role' && !roleIds.some(role => options.roles.includes(role))) return 'no-role'
  return undefined
}
