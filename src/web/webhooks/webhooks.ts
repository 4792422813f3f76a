import { isoTime } from '../../common/wall-clock.ts'
import type { Observer } from '../../core/model/events.ts'
import type { CaptionFeed } from '../captions/caption-feed.ts'
import type { WebhookEvent } from './event.ts'
import { Receiver, type ReceiverOptions, type ReceiverStats } from './receiver.ts'
import type { WebhookEventType, WebhookSettings } from './settings.ts'

export interface WebhooksOutOptions extends ReceiverOptions {
  readonly observer: Observer
  readonly feed: CaptionFeed
}

/** Sends events to receivers. A slow or unavailable receiver delays neither calls nor other receivers. */
export class WebhooksOut implements AsyncDisposable {
  readonly #receivers: readonly Receiver[]
  readonly #options: WebhooksOutOptions
  #subscriptions: readonly Disposable[] = []

  constructor(settings: readonly WebhookSettings[], options: WebhooksOutOptions) {
    this.#options = options
    this.#receivers = settings.map(
      (each, index) => new Receiver(each.name ?? `webhook ${index + 1}`, each, options),
    )
  }

  /** Sends the events from now on. Call it once. */
  start(): void {
    if (this.#receivers.length > 0) this.#subscriptions = this.#subscribe()
  }

  get stats(): ReceiverStats[] {
    return this.#receivers.map(receiver => receiver.stats)
  }

  /** Queued events get one more attempt, for a few seconds in total. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    await Promise.all(this.#receivers.map(receiver => receiver.close()))
  }

  #subscribe(): Disposable[] {
    const { observer, feed, clock } = this.#options
    feed.on((life, event) => {
      if (event.kind === 'opened') this.#tell('room.opened', life.room, {}, { life: life.id })
      if (event.kind === 'closed')
        this.#tell(
          'room.closed',
          life.room,
          { durationMs: Math.round(clock.now() - life.openedAtMs) },
          { life: life.id },
        )
      if (event.kind !== 'caption' || !event.caption.final) return
      const { room, text, translation, spoken: _, final: __, ...data } = event.caption
      this.#tell('utterance.final', room, data, {
        life: life.id,
        texts: {
          text,
          translation,
        },
      })
    })
    return [
      observer.on('admitted', ({ room, ...data }) => this.#tell('participant.joined', room, data)),
      observer.on('left', ({ room, reason, frames: _, ...data }) =>
        this.#tell('participant.left', room, {
          ...data,
          reason: reason.kind,
          ...(reason.kind === 'failed' ? { code: reason.error.code } : {}),
        }),
      ),
      observer.on('changed', ({ room, ...data }) => this.#tell('participant.changed', room, data)),
      observer.on('dtmf', ({ room, ...data }) => this.#tell('dtmf', room, data)),
      observer.on('dial', ({ room, ...data }) => this.#tell('dial', room, data)),
      observer.on('recording', ({ room, ...data }) => this.#tell('recording', room, data)),
    ]
  }

  #tell(
    type: WebhookEventType,
    room: string,
    data: WebhookEvent['data'],
    more: Pick<WebhookEvent, 'life' | 'texts'> = {},
  ): void {
    const life = this.#options.feed.life(room)?.id
    const at = isoTime(this.#options.wall())
    const event = { type, room, at, data, life, ...more }
    for (const receiver of this.#receivers) receiver.push(event)
  }
}
