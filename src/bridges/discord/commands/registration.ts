import { DiscordAPIError, type REST, Routes } from 'discord.js'
import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { type Clock, setTimer } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import { COMMAND, commandDefinition } from './registry.ts'
import { type RestTrouble, restTrouble } from './rest.ts'

/** Registration of our command: everywhere (`global`) or in one guild. */
export interface CommandState {
  /** `global` or a guild ID. */
  readonly place: string
  readonly state: 'same' | 'different' | 'absent' | RestTrouble
  /** ID of the registered command. */
  readonly id?: string
}

/** Result of registering in one place. */
export interface RegistrationResult {
  readonly place: string
  readonly result: 'unchanged' | 'registered' | 'removed' | RestTrouble
}

/** Application, token (in `rest`) and guilds; an empty list: everywhere. */
export interface RegistrationOptions {
  readonly rest: REST
  readonly applicationId: string
  readonly guilds: readonly string[]
  readonly log: Logger
}

/** Returns the state of the command in each place where it belongs. Never rejects. */
export async function commandStates(options: Omit<RegistrationOptions, 'log'>): Promise<CommandState[]> {
  return await Promise.all(placesOf(options.guilds).map(place => stateIn(place, options)))
}

/**
 * Registers the command where it is absent or outdated. If guilds are listed, it removes the global command, so that
 * users do not see it twice. Other commands of the application stay unchanged. Never rejects; failures are logged.
 */
export async function registerCommand(options: RegistrationOptions): Promise<RegistrationResult[]> {
  const { rest, log, applicationId, guilds } = options
  const results: RegistrationResult[] = guilds.length > 0 ? await removeIn(['global'], options) : []
  for (const { place, state } of await commandStates(options)) {
    let result: RegistrationResult['result'] = typeof state === 'object' ? state : 'unchanged'
    if (state === 'different' || state === 'absent') {
      try {
        await rest.post(routeOf(place, applicationId), { body: commandDefinition() })
        result = 'registered'
      } catch (error) {
        result = restTrouble(error)
      }
    }
    results.push({ place, result })
    if (typeof result === 'object')
      log.error({ place, reason: result.text }, 'Discord command not registered')
    else if (result === 'registered') log.info({ place }, 'Discord command registered')
  }
  return results
}

/** Removes the command everywhere and in `guilds`. An absent command is not a failure. Never rejects. */
export function unregisterCommand(options: RegistrationOptions): Promise<RegistrationResult[]> {
  return removeIn(['global', ...options.guilds], options)
}

async function removeIn(
  places: readonly string[],
  options: RegistrationOptions,
): Promise<RegistrationResult[]> {
  const results: RegistrationResult[] = []
  for (const place of places) {
    const { state, id } = await stateIn(place, options)
    if (typeof state === 'object') results.push({ place, result: state })
    if (id === undefined) continue
    try {
      await options.rest.delete(`${routeOf(place, options.applicationId)}/${id}`)
      results.push({ place, result: 'removed' })
    } catch (error) {
      // Someone else removed it in the meantime (Discord: JSON Error Codes, 10063).
      const gone = error instanceof DiscordAPIError && error.code === 10063
      if (!gone) results.push({ place, result: restTrouble(error) })
    }
  }
  return results
}

async function stateIn(
  place: string,
  { rest, applicationId }: Pick<RegistrationOptions, 'rest' | 'applicationId'>,
): Promise<CommandState> {
  try {
    const query = new URLSearchParams({ with_localizations: 'true' })
    const list = await rest.get(routeOf(place, applicationId), { query })
    const found = (Array.isArray(list) ? list : []).find(each => each?.name === COMMAND && each.type === 1)
    if (!found) return { place, state: 'absent' }
    const same = canonical(found) === canonical(commandDefinition())
    return { place, state: same ? 'same' : 'different', id: String(found.id) }
  } catch (error) {
    return { place, state: restTrouble(error) }
  }
}

function placesOf(guilds: readonly string[]): readonly string[] {
  return guilds.length > 0 ? guilds : ['global']
}

function routeOf(place: string, applicationId: string): `/${string}` {
  return place === 'global'
    ? Routes.applicationCommands(applicationId)
    : Routes.applicationGuildCommands(applicationId, place)
}

/** The fields that are compared, with Discord's defaults. */
const FIELDS: Readonly<Record<string, unknown>> = {
  type: 1,
  name: '',
  description: '',
  name_localizations: {},
  description_localizations: {},
  default_member_permissions: null,
  contexts: null,
  integration_types: null,
  required: false,
  autocomplete: false,
  options: [],
  choices: [],
  channel_types: [],
  min_length: null,
  max_length: null,
  min_value: null,
  max_value: null,
  value: null,
}

/** Serializes equivalent definitions identically, regardless of fields that Discord adds. */
function canonical(value: unknown): string {
  return JSON.stringify(reduced(value))
}

function reduced(value: unknown, fields = true): unknown {
  if (Array.isArray(value)) return value.map(each => reduced(each))
  if (value === null || typeof value !== 'object') return value
  const table = value as Readonly<Record<string, unknown>>
  if (!fields) return Object.fromEntries(Object.entries(table).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return Object.fromEntries(
    Object.entries(FIELDS).map(([name, usual]) => [
      name,
      reduced(table[name] ?? usual, !name.endsWith('_localizations')),
    ]),
  )
}

/** Retries after temporary problems. */
const RETRY: BackoffPolicy = { firstMs: 30_000, maxMs: 600_000, jitter: 0 }
/** Temporary problems. */
const PASSING: readonly RestTrouble['kind'][] = ['limited', 'broken', 'unreachable']

/** Keeps the command registered: retries after temporary problems, one attempt at a time. */
export class CommandRegistrar implements Disposable {
  readonly #options: RegistrationOptions
  readonly #clock: Clock
  #attempts = 0
  #working: Promise<void> | undefined
  #timer: Disposable | undefined
  #closed = false

  constructor(options: RegistrationOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
  }

  /** Checks the registration and updates it if needed. Never rejects. */
  look(): Promise<void> {
    this.#working ??= this.#look().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  /** Stops retrying. */
  [Symbol.dispose](): void {
    this.#closed = true
    this.#timer?.[Symbol.dispose]()
  }

  async #look(): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    if (this.#closed) return
    const results = await registerCommand(this.#options)
    if (!results.some(each => isTrouble(each) && PASSING.includes(each.result.kind))) {
      this.#attempts = 0
      return
    }
    if (this.#closed) return
    const waitMs = backoffMs(++this.#attempts, RETRY)
    this.#timer = setTimer(this.#clock, waitMs, () => void this.look())
  }
}

function isTrouble(each: RegistrationResult): each is RegistrationResult & { readonly result: RestTrouble } {
  return typeof each.result === 'object'
}
