import { type Client, DiscordAPIError, Events, HTTPError } from 'discord.js'
import { type BackoffPolicy, backoffMs } from '../../common/backoff.ts'
import { type Clock, setTimer, withTimeout } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'
import type { IdentifyRefusal, LoginState } from './contract.ts'

/** Time limit for closing the gateway connection (ms). */
const GOODBYE_MS = 5_000

/** The parts of a shard of @discordjs/ws that are used here; discord.js 14.28.1 (pinned) hides it. */
interface Shard {
  readonly connection: {
    readonly readyState: number
    on(event: 'error', listener: () => void): void
    terminate(): void
  } | null
  internalConnect(): Promise<void>
}

/**
 * Logs out `client` permanently, within a bounded time. On its own, the library reconnects: a connection attempt in
 * progress when the client is destroyed repeats half a second later, again and again. Never rejects.
 */
export async function logOut(client: Client, clock: Clock): Promise<void> {
  const shards = shardsOf(client)
  for (const shard of shards) shard.internalConnect = async () => {}
  await withTimeout(clock, GOODBYE_MS, client.destroy())
  for (const { connection } of shards) {
    // A connection that is not open yet fails now, without other listeners.
    connection?.on('error', () => {})
    connection?.terminate()
  }
}

function shardsOf(client: Client): Shard[] {
  const { ws } = client as unknown as {
    readonly ws: {
      readonly _ws?: { readonly strategy?: { readonly shards?: ReadonlyMap<number, Shard> } } | null
    }
  }
  return Array.from(ws._ws?.strategy?.shards?.values() ?? [])
}

/** Maximum number of attempts to resume a session, half a second apart. */
const RESUMES_MOST = 10
/** Retries of the login. */
const RETRY: BackoffPolicy = { firstMs: 1_000, maxMs: 60_000 }
/** Gateway close codes after which retries are pointless (Discord: Opcodes and Status Codes). */
const REFUSALS: Readonly<Record<number, IdentifyRefusal>> = {
  4004: 'token',
  4010: 'shards',
  4011: 'shards',
  4012: 'version',
  4013: 'intents',
  4014: 'intents',
}

export interface LoginOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly random?: () => number
}

/**
 * Logs in a client in the background. While Discord is unreachable, it retries indefinitely and blocks nothing else.
 * After the login, the client's own library restores lost connections.
 */
export class Login implements Disposable {
  /** Resolves once: true when the client is ready, false when it never will be. Never rejects. */
  readonly settled: Promise<boolean>
  readonly #client: Client
  readonly #token: string
  readonly #options: LoginOptions
  #settle!: (ready: boolean) => void
  #state: LoginState = { kind: 'trying', attempts: 0 }
  #timer: Disposable | undefined

  constructor(client: Client, token: string, options: LoginOptions) {
    this.#client = client
    this.#token = token
    this.#options = options
    this.settled = new Promise(resolve => {
      this.#settle = resolve
    })
  }

  get state(): LoginState {
    return this.#state
  }

  /** Starts the first attempt; retries until it succeeds. Call it once. */
  start(): void {
    this.#listen()
    void this.#try(1)
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    if (this.#state.kind !== 'refused') this.#state = { kind: 'closed' }
    this.#settle(false)
  }

  #listen(): void {
    const client = this.#client
    const { log } = this.#options
    client.on(Events.Error, error => log.warn({ reason: error.message }, 'Discord connection failed'))
    client.on(Events.ShardDisconnect, ({ code }) => {
      const why = REFUSALS[code]
      if (why) this.#refuse(why)
    })
    this.#forgetWhatIsNotResumed(client)
    client.once(Events.ClientReady, () => {
      if (this.#state.kind !== 'trying') return
      this.#state = { kind: 'ready' }
      log.info({ guilds: client.guilds.cache.size }, 'logged in to Discord')
      this.#settle(true)
    })
  }

  async #try(attempts: number): Promise<void> {
    this.#state = { kind: 'trying', attempts }
    try {
      await this.#client.login(this.#token)
    } catch (error) {
      const state: LoginState = this.#state
      if (state.kind !== 'trying') return
      const why = refusalOf(error)
      if (why) this.#refuse(why)
      else this.#again(attempts, error)
    }
  }

  /**
   * The library tries to resume indefinitely, at an address for this session only. After `RESUMES_MOST` failures, this
   * drops the session, so that a new one starts at the general address.
   */
  #forgetWhatIsNotResumed(client: Client): void {
    const attempts = new Map<number, number>()
    client.on(Events.ShardReconnecting, id => {
      const count = (attempts.get(id) ?? 0) + 1
      attempts.set(id, count)
      if (count % RESUMES_MOST !== 0) return
      const shard = client.ws.shards.get(id) as { sessionInfo?: unknown } | undefined
      if (shard) shard.sessionInfo = null
    })
    client.on(Events.ShardReady, id => void attempts.delete(id))
    client.on(Events.ShardResume, id => void attempts.delete(id))
  }

  #again(attempts: number, error: unknown): void {
    const { clock, log, random = Math.random } = this.#options
    const waitMs = backoffMs(attempts, RETRY, random())
    log.warn(
      { attempts, waitMs: Math.round(waitMs), reason: reasonOf(error) },
      'Discord login failed, retrying',
    )
    this.#timer = setTimer(clock, waitMs, () => void this.#try(attempts + 1))
  }

  #refuse(why: IdentifyRefusal): void {
    if (this.#state.kind === 'refused' || this.#state.kind === 'closed') return
    this.#state = { kind: 'refused', why }
    this.#options.log.error({ why }, 'Discord refused the bot; run `dragoman doctor`')
    this.#settle(false)
  }
}

/**
 * Returns the reason for which retries are pointless, if any. discord.js reports a malformed token as `TokenInvalid`.
 */
function refusalOf(error: unknown): IdentifyRefusal | undefined {
  if (error instanceof DiscordAPIError && error.status === 401) return 'token'
  if (error instanceof HTTPError && error.status === 401) return 'token'
  const { code, message = '' } = error as { code?: unknown; message?: string }
  if (code === 'TokenInvalid') return 'token'
  return /disallowed intents|invalid intents/i.test(message) ? 'intents' : undefined
}

/** Without addresses or tokens. */
function reasonOf(error: unknown): string {
  const { name, code, status } = error as { name?: string; code?: unknown; status?: unknown }
  return [name, code ?? status].filter(part => part !== undefined).join(' ')
}
