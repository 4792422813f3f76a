import type { LanguageId } from '../../../common/language.ts'
import { TokenBucket } from '../../../common/rate-limit.ts'
import type { SocketListener } from '../../websocket/guarded-socket.ts'
import type { CloseCause, PageSocket } from '../close-codes.ts'
import type { AudienceMember } from './audiences.ts'
import type { ListenerReceptionOptions } from './listener-reception.ts'
import {
  type ListenerEnd,
  type ListenerHello,
  type ListenerRefused,
  parseListener,
  type ToListener,
} from './protocol.ts'

type ListenerOptions = Pick<ListenerReceptionOptions, 'audiences' | 'limits' | 'counters' | 'clock' | 'log'>

/** The connection of one person who listens: never a leg, and without any audio of theirs. */
export class Listener implements AudienceMember, SocketListener<CloseCause> {
  /** True once their first message has arrived. */
  greeted = false
  hears = false
  /** The link with which they came, and its room, once admitted. */
  token = ''
  room: string | undefined
  readonly #options: ListenerOptions
  readonly #socket: PageSocket
  readonly #changes: TokenBucket
  readonly #greet: (hello: ListenerHello) => Promise<void>
  readonly #left: () => void
  #languages: readonly LanguageId[] = []
  #over = false

  /** `greet` admits them, and never rejects; `left` is called once, when the connection has ended. */
  constructor(
    socket: PageSocket,
    options: ListenerOptions,
    greet: (hello: ListenerHello) => Promise<void>,
    left: () => void,
  ) {
    const { changesPerMinute, changeBurst } = options.limits
    this.#socket = socket
    this.#options = options
    this.#greet = greet
    this.#left = left
    this.#changes = new TokenBucket(changesPerMinute / 60, changeBurst, options.clock.now())
  }

  /** True once the connection has ended. */
  get over(): boolean {
    return this.#over
  }

  /** Lets them listen to `room` in one of `languages`, from `hello` on. */
  admit(room: string, languages: readonly LanguageId[], hello: ListenerHello): void {
    this.room = room
    this.token = hello.link
    this.#languages = languages
    this.#say({ kind: 'welcome', languages })
    this.#change(hello)
  }

  message(data: Buffer, isBinary: boolean, now: number): string | undefined {
    const message = isBinary ? undefined : parseListener(data.toString('utf8'))
    if (!message) return isBinary ? 'audio' : 'shape'
    switch (message.kind) {
      case 'ping':
        this.#say({ kind: 'pong', at: message.at })
        return undefined
      case 'change':
        if (this.#changes.take(now) < 0) this.#socket.counters.floodDropped++
        else this.#change(message)
        return undefined
      case 'hello':
        if (this.greeted) return undefined
        this.greeted = true
        void this.#greet(message)
        return undefined
      default:
        return message satisfies never
    }
  }

  tell(text: string): void {
    this.#socket.send(text)
  }

  play(packet: Buffer): void {
    if (!this.#socket.congested) this.#socket.send(packet)
  }

  refuse(why: ListenerRefused): void {
    this.#options.counters.refuse(why)
    this.#say({ kind: 'refused', why })
    void this.#socket.close('refused')
  }

  /** They follow the room to `node`, another one of the fleet. */
  move(node: string): void {
    this.#say({ kind: 'moved', path: `n/${node}/` })
    void this.#socket.close('refused')
  }

  end(why: ListenerEnd): void {
    this.#say({ kind: 'ended', why })
    void this.#socket.close(why === 'server' ? 'going-away' : 'done')
  }

  /** Supervises the connection. Called several times a second. */
  watch(now: number): void {
    this.#socket.watch(now)
  }

  closed(): void {
    this.#over = true
    this.#left()
  }

  fault(fault: string, err?: unknown): void {
    this.#options.log.warn(
      { fault, ...(err ? { error: String(err) } : {}) },
      'listener violated the protocol',
    )
  }

  #say(message: ToListener): void {
    this.tell(JSON.stringify(message))
  }

  #change({
    hears,
    audio,
  }: {
    readonly hears?: LanguageId | undefined
    readonly audio?: boolean | undefined
  }): void {
    const { room } = this
    if (room === undefined) return
    if (audio !== undefined) this.hears = audio
    if (hears === undefined) return
    const { audiences } = this.#options
    if (!this.#languages.includes(hears)) this.#say({ kind: 'unavailable', language: hears })
    else if (!audiences.hear(room, this, hears))
      this.#say({ kind: 'languages-full', open: audiences.languages(room) })
  }
}
