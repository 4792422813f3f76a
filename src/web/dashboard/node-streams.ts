import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { type Clock, Ticker } from '../../common/clock.ts'
import type { Fleet, FleetNode } from '../../core/model/fleet.ts'
import { FORWARDED } from '../control/forwarding.ts'
import { type EventSink, sseEvent } from '../event-stream.ts'
import type { NodeView } from './protocol.ts'
import { GONE_BYTES, SLOW_BYTES } from './viewer-hub.ts'

/** Interval between looks at the nodes (ms); also the pause before a lost stream is requested again. */
const LOOK_MS = 1_000
/** Time without data after which a stream is lost (ms); a node sends something every second. */
const SILENCE_MS = 6_000
/** A node without heartbeats for this long is shown as silent (ms); others can take its rooms then. */
const SILENT_MS = 2_000
/** Maximum length of one message of a node (characters). */
const LONGEST = 16_777_216

export interface NodeStreamsOptions {
  readonly fleet: Fleet
  readonly clock: Clock
}

/** A viewer, and the key for requests to other nodes. */
export interface NodeViewer {
  readonly outlet: EventSink
  readonly authorization: string
  readonly address: string
}

/**
 * Shows one viewer the other nodes of a fleet: requests their own dashboard streams and passes their messages on as
 * `node`, unread, and describes all nodes as `nodes`. A stream that is lost is requested again.
 */
export class NodeStreams implements Disposable {
  readonly #options: NodeStreamsOptions
  readonly #viewer: NodeViewer
  readonly #streams = new Map<string, NodeStream>()
  #ticker: Ticker | undefined
  #told = ''

  private constructor(options: NodeStreamsOptions, viewer: NodeViewer) {
    this.#options = options
    this.#viewer = viewer
  }

  /** Shows the nodes from now on. Dispose it when the viewer is gone. */
  static start(options: NodeStreamsOptions, viewer: NodeViewer): NodeStreams {
    const streams = new NodeStreams(options, viewer)
    streams.#ticker = new Ticker(options.clock, LOOK_MS, now => streams.#look(now))
    streams.#look(options.clock.now())
    return streams
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
    for (const stream of this.#streams.values()) stream[Symbol.dispose]()
  }

  #look(now: number): void {
    const { fleet } = this.#options
    for (const node of fleet.nodes) {
      const known = this.#streams.get(node.node)
      if (node.node === fleet.node) continue
      if (known?.lost(now)) {
        known[Symbol.dispose]()
        this.#streams.delete(node.node)
        if (known.shown) this.#viewer.outlet.write(sseEvent('node', { node: node.node, type: 'gone' }))
      }
      if (!this.#streams.has(node.node)) this.#open(node, now)
    }
    const nodes = fleet.nodes.map(node => this.#view(node)).sort((a, b) => a.node.localeCompare(b.node))
    const told = JSON.stringify(nodes)
    if (told === this.#told) return
    this.#told = told
    this.#viewer.outlet.write(`event: nodes\ndata: ${told}\n\n`)
  }

  #open(node: FleetNode, now: number): void {
    const { clock, fleet } = this.#options
    const { authorization, address } = this.#viewer
    const url = URL.parse('/dashboard/events', node.address)
    if (!url) return
    const headers = { authorization, [FORWARDED]: fleet.node, 'x-forwarded-for': address }
    const asked = httpRequest(url, { headers, agent: false })
    const pass = (type: string, json: string) => this.#pass(node.node, type, json)
    this.#streams.set(node.node, new NodeStream(asked, now, () => clock.now(), pass))
    asked.end()
  }

  #view({ node, address, version, legs, rooms, draining, silentMs }: FleetNode): NodeView {
    const self = node === this.#options.fleet.node
    const state = silentMs >= SILENT_MS ? 'silent' : draining ? 'draining' : 'up'
    const shown = self || this.#streams.get(node)?.shown === true
    return { node, self, address, version, legs, rooms, state, shown }
  }

  #pass(node: string, type: string, json: string): void {
    const { outlet } = this.#viewer
    if (type === 'levels' && outlet.unread > SLOW_BYTES) return
    if (outlet.unread > GONE_BYTES) outlet.destroy()
    else
      outlet.write(`event: node\ndata: {"node":${JSON.stringify(node)},"type":"${type}","data":${json}}\n\n`)
  }
}

const TYPES = new Set(['snapshot', 'delta', 'levels'])

/** The dashboard stream of another node. */
class NodeStream implements Disposable {
  readonly #asked: ClientRequest
  readonly #now: () => number
  readonly #pass: (type: string, json: string) => void
  #heardAt: number
  #ended = false
  #shown = false
  #rest = ''

  constructor(
    asked: ClientRequest,
    at: number,
    now: () => number,
    pass: (type: string, json: string) => void,
  ) {
    this.#asked = asked
    this.#heardAt = at
    this.#now = now
    this.#pass = pass
    asked.on('response', answer => this.#read(answer))
    asked.on('error', () => this.#end())
  }

  /** It has sent a snapshot. */
  get shown(): boolean {
    return this.#shown
  }

  lost(now: number): boolean {
    return this.#ended || now - this.#heardAt > SILENCE_MS
  }

  [Symbol.dispose](): void {
    this.#end()
    this.#asked.destroy()
  }

  #end(): void {
    this.#ended = true
  }

  #read(answer: IncomingMessage): void {
    answer.on('error', () => this.#end())
    answer.on('close', () => this.#end())
    if (answer.statusCode !== 200) {
      answer.resume()
      return
    }
    answer.setEncoding('utf8').on('data', (piece: string) => this.#take(piece))
  }

  #take(piece: string): void {
    if (this.#ended) return
    this.#heardAt = this.#now()
    const messages = (this.#rest + piece).split('\n\n')
    this.#rest = messages.pop() ?? ''
    if (this.#rest.length > LONGEST) this.#asked.destroy()
    for (const message of messages) {
      const [, type = '', json = ''] = /^event: (\w+)\ndata: (.+)$/.exec(message) ?? []
      if (!TYPES.has(type)) continue
      this.#shown ||= type === 'snapshot'
      this.#pass(type, json)
    }
  }
}
