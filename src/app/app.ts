import type { FastifyInstance } from 'fastify'
import type { DiscordBridge } from '../bridges/discord/contract.ts'
import type { NumberQuota } from '../bridges/phone/call-policy.ts'
import { pause } from '../common/clock.ts'
import type { RoomCodes } from '../core/calls/room-codes.ts'
import type { TwoPartyCalls } from '../core/calls/two-party-calls.ts'
import type { Announcer } from '../core/model/announcer.ts'
import type { Dialer } from '../core/model/dialer.ts'
import type { Recorder } from '../core/model/recording.ts'
import type { Relay } from '../core/room/relay.ts'
import type { Overload } from '../net/overload.ts'
import type { RequestGuard } from '../net/request-guard.ts'
import type { ServiceProcess } from '../service/server/process/service-process.ts'
import { registeredBridges } from './carriers.ts'
import { type AppContext, type AppOptions, openContext } from './context.ts'
import type { Drain } from './drain.ts'
import { registerPlugins } from './plugins.ts'
import type { AppConfig } from './settings/app-settings.ts'

export type { Overload } from '../net/overload.ts'
export type { RequestGuard } from '../net/request-guard.ts'

export type { AppConfig, AppOptions }

/** Time for which a node still answers requests after its calls have moved to other nodes (ms). */
const RETURN_MS = 2_000

/** The bridge server with everything it owns. */
export interface App extends AsyncDisposable {
  readonly server: FastifyInstance
  readonly relay: Relay
  /** Speaks the notices; its files from the settings are read once. */
  readonly announcer: Announcer
  /** Admits legs and connects calls. */
  readonly twoPartyCalls: TwoPartyCalls
  /** Places calls; absent if outbound calls are disabled. */
  readonly dialer: Dialer | undefined
  /** Codes of rooms, including those from the settings. */
  readonly roomCodes: RoomCodes
  /** Records conversations, as far as the settings allow. */
  readonly recorder: Recorder
  /** Limits requests before routes see them. */
  readonly requestGuard: RequestGuard
  /** Detects overload. */
  readonly overload: Overload
  /** Usage limits of each number. */
  readonly numberLimits: NumberQuota
  /** The Discord bot, if a token is set. */
  readonly discord: DiscordBridge | undefined
  /** The embedded service, if enabled. */
  readonly service: ServiceProcess | undefined
  /** Starts listening; resolves to the local address. */
  listen(): Promise<string>
  /** State of the shutdown; `hurry` ends the waiting of `leave`. */
  readonly drain: Drain
  /**
   * Rejects new calls, leaves Discord, and resolves when no call remains or, at the deadline, the remaining ones were
   * handed over. Close the app afterwards. Idempotent.
   */
  leave(): Promise<void>
  /** Stops admitting, ends every call, then the service. Idempotent. */
  close(): Promise<void>
}

/**
 * Assembles the app without listening. Throws `BridgeError` `CONFIG` for settings that cannot work, after it
 * has stopped all parts.
 */
export async function buildApp(config: AppConfig, options: AppOptions = {}): Promise<App> {
  // Disposes of everything in reverse order: when the app closes, or at once if a later part cannot be made.
  await using stack = new AsyncDisposableStack()
  const context = await openContext(config, options, stack)
  const { server, service, calls, guards } = context
  // Calls end first, while all of the above still observes them, and Discord says goodbye before its rooms are empty.
  stack.defer(async () => {
    guards[Symbol.dispose]()
    await discordOf(server)?.close()
    await calls[Symbol.asyncDispose]()
  })
  // After everything that can reject the settings: it takes a second.
  await service.start()
  await registerPlugins(server, context)
  await server.ready()
  return appOf(context, stack.move())
}

function appOf(context: AppContext, owned: AsyncDisposable): App {
  const { settings, server, requestGuard, ending, carriers, service, fleet, homes, clock } = context
  const { relay, announcer, twoPartyCalls, dialer, roomCodes, recorder } = context.calls
  const { overload, drain, numberQuota } = context.guards
  let leaving: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const leave = async () => {
    const drained = drain.begin()
    ending.begin()
    // A bot can be active only once: the next server can take it over.
    await Promise.all([drained, discordOf(server)?.close()])
    const bridges = registeredBridges(carriers)
    // To other nodes of the fleet, if there are any; the rest to the next server.
    const moved = await homes.moveAll()
    server.browser.releaseRooms(moved)
    await Promise.all(bridges.map(bridge => bridge.releaseRooms(moved)))
    await Promise.all(bridges.map(bridge => bridge.handOver()))
    // Requests of moved calls can still come here, until a proxy has noticed that this node is leaving.
    if (moved.size > 0) await pause(clock, RETURN_MS)
  }
  const end = async () => {
    if (leaving) {
      await leaving
      await ending.finish()
    }
    await owned[Symbol.asyncDispose]()
  }
  const close = () => (closing ??= end())
  return {
    server,
    relay,
    announcer,
    twoPartyCalls,
    dialer,
    roomCodes,
    recorder,
    requestGuard,
    overload,
    numberLimits: numberQuota,
    drain,
    get discord() {
      return discordOf(server)
    },
    service: service.process,
    listen: async () => {
      const address = await server.listen({ host: settings.host, port: settings.port })
      fleet.join(() => ({
        address: settings.fleet?.address ?? address,
        ...{ legs: relay.legs, rooms: relay.rooms.size, draining: drain.draining },
      }))
      return address
    },
    leave: () => (leaving ??= leave()),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function discordOf(server: FastifyInstance): DiscordBridge | undefined {
  return server.hasDecorator('discord') ? server.discord : undefined
}
