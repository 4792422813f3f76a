import { FakeClock } from '../../simulator/index.ts'
import { noopLogger } from '../../src/common/log.ts'
import { Observer, type RelayEvents } from '../../src/core/model/events.ts'
import { CaptionFeed } from '../../src/web/captions/caption-feed.ts'
import { webhookSettingsSchema } from '../../src/web/webhooks/settings.ts'
import { WebhooksOut } from '../../src/web/webhooks/webhooks.ts'
import { SAMPLES } from './samples.ts'

/** Webhooks sent to a receiver, by the type of event. */
export type SentWebhooks = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** Sends every webhook to a fake receiver, like the server, and returns them. */
export async function sentWebhooks(): Promise<SentWebhooks> {
  const sent = new Map<string, Record<string, unknown>>()
  const [observer, clock] = [new Observer(), new FakeClock(0)]
  const wall = () => Date.UTC(2026, 10, 20, 10)
  using feed = new CaptionFeed(observer, clock, wall)
  feed.start()
  const settings = webhookSettingsSchema.parse({
    url: 'https://example.com/dragoman',
    secret: 'a-secret-of-the-receiver',
    includeTexts: true,
  })
  const send = async ({ body }: { body: string }) => {
    const event = JSON.parse(body) as Record<string, unknown> & { type: string }
    sent.set(event.type, { ...event, id: 'evt_…', life: '…' })
    return 200
  }
  await using webhooks = new WebhooksOut([settings], {
    observer,
    feed,
    clock,
    wall,
    log: noopLogger,
    send,
    random: () => 0,
  })
  webhooks.start()
  for (const [name, value] of Object.entries(SAMPLES)) await told(observer, name as keyof RelayEvents, value)
  await told(observer, 'room', { room: 'desk', state: 'closed' })
  return sent
}

/** One at a time, because those of one room are sent in order. */
async function told<K extends keyof RelayEvents>(observer: Observer, name: K, value: unknown): Promise<void> {
  observer.emit(name, value as RelayEvents[K])
  await new Promise(resolve => setImmediate(resolve))
}
