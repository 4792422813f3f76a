import { NatsServers } from '../test/support/fleet/nats-servers.ts'
import type { Channel } from './callers.ts'
import type { DiscordAccount, Memory, Signature } from './messages.ts'
import { Child, confine } from './process.ts'
import { Served } from './served.ts'
import type { Carrier } from './served-settings.ts'
import type { Start } from './starts.ts'
import type { Listening } from './subject.ts'

/**
 * Targets of the load: `dragoman serve`, its parts composed by the bench, the minimum that does the signaling, and the
 * same with the lead and message length of the bridge. `served-short` sends short fragments in silence, too;
 * `served-fleet` is a node of a fleet on NATS. `served` is called by phones of Twilio, or of the carrier after its name.
 */
export const SUBJECTS = [
  'floor',
  'floor-lead',
  'served',
  'served-short',
  'served-fleet',
  'served-signalwire',
  'served-telnyx',
  'served-plivo',
  'bridge',
] as const
export type Subject = (typeof SUBJECTS)[number]

export const SUBJECT_CORE = 0
export const LOAD_CORE = 1

/** A program under load. The creator stops it. */
export interface SubjectProcess {
  /** The process that accepts calls. */
  readonly pid: number
  readonly port: number
  /** Present if it verifies signatures. */
  readonly signature?: Signature
  /** Live memory after a collection; undefined for an unmodified program. */
  memory(): Promise<Memory | undefined>
  stop(): Promise<void>
}

export interface SubjectOptions {
  readonly legs: number
  /** Address of the scripted service. */
  readonly service: string
  readonly mode: 'block' | 'streaming'
  readonly channel: Channel
  readonly discord?: DiscordAccount | undefined
  /** The command that starts `served`. */
  readonly start: Start
  /** Node flags of all others: their memory settings. */
  readonly node: readonly string[]
  /** Node flags and environment of profiler and observer. */
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** In two-party calls, with this original voice; not `served`. */
  readonly pairs?: 'off' | 'duck' | undefined
}

/** Starts `subject` on its core; resolves when it accepts calls. */
export async function startSubject(subject: Subject, options: SubjectOptions): Promise<SubjectProcess> {
  if (subject === 'served' || subject === 'served-short')
    return Served.start({ ...options, short: subject === 'served-short', core: SUBJECT_CORE })
  if (subject === 'served-signalwire') return startServed('signalwire', options)
  if (subject === 'served-telnyx') return startServed('telnyx', options)
  if (subject === 'served-plivo') return startServed('plivo', options)
  if (subject === 'served-fleet') return startNode(options)
  const { service, legs, mode, pairs, node, flags, env } = options
  const args = ['--service', service, '--numbers', String(legs), '--mode', mode]
  if (pairs) args.push('--pairs', '--original', pairs)
  const child = Child.start(`${subject}.ts`, SUBJECT_CORE, args, [...node, ...flags], env)
  try {
    const { port } = await child.when<Listening>('listening')
    return { pid: child.pid, port, memory: () => memoryOf(child), stop: () => child.stop() }
  } catch (error) {
    await child.stop()
    throw error
  }
}

/** Starts `dragoman serve` for phones of `carrier`. */
function startServed(carrier: Carrier, options: SubjectOptions): Promise<SubjectProcess> {
  return Served.start({ ...options, carrier, core: SUBJECT_CORE })
}

/** Starts `dragoman serve` as a node of a fleet, with a nats-server beside the load. */
async function startNode(options: SubjectOptions): Promise<SubjectProcess> {
  const nats = await NatsServers.start()
  try {
    for (const pid of nats.pids) confine(pid, LOAD_CORE)
    const natsServers = nats.addresses
    const served = await Served.start({ ...options, natsServers, core: SUBJECT_CORE })
    return {
      pid: served.pid,
      port: served.port,
      signature: served.signature,
      memory: () => served.memory(),
      async stop() {
        await served.stop()
        await nats[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await nats[Symbol.asyncDispose]()
    throw error
  }
}

function memoryOf(child: Child): Promise<Memory> {
  const answer = child.when<Memory>('memory')
  child.send({ kind: 'memory?' })
  return answer
}
