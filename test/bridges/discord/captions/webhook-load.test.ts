import type { Client } from 'discord.js'
import { expect, test } from 'vitest'
import { RateLimits } from '../../../../simulator/discord/rest/rate-limits.ts'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import type { CaptionMessage, Written } from '../../../../src/bridges/discord/captions/caption-format.ts'
import { CaptionWriter } from '../../../../src/bridges/discord/captions/caption-writer.ts'
import { WebhookChat } from '../../../../src/bridges/discord/captions/webhook-chat.ts'
import { FakeChat, settled } from '../../../support/discord/fake-chat.ts'
import { LogLines } from '../../../support/log-lines.ts'

const POST = 'POST /webhooks/:webhook/:token'
const PATCH = 'PATCH /webhooks/:webhook/:token/messages/:message'
const params = { webhook: '1', token: 't' }

/** A chat with the limits that the simulator of Discord enforces. */
class LimitedChat extends FakeChat {
  readonly sends: WebhookChat['sends']
  /** Requests that Discord rejected. */
  rejected = 0
  readonly #limits: RateLimits

  constructor(clock: FakeClock) {
    super(clock)
    this.#limits = new RateLimits(clock)
    const [client, pictureOf] = [{} as Client, () => undefined]
    const register = { permissionsIn: () => undefined }
    this.sends = new WebhookChat({
      client,
      register,
      channelId: '1',
      pictureOf,
      clock,
      log: new LogLines(),
    }).sends
  }

  override send(message: CaptionMessage): Promise<Written> {
    return this.#limited(POST) ?? super.send(message)
  }

  override edit(id: string, message: CaptionMessage): Promise<Written> {
    return this.#limited(PATCH) ?? super.edit(id, message)
  }

  #limited(route: string): Promise<Written> | undefined {
    const state = this.#limits.take(route, params)
    const hiddenMs = route === POST ? this.#limits.takeWebhookMessage('1') : undefined
    const retryAfterMs = state?.exceeded ? state.resetAfterMs : hiddenMs
    if (retryAfterMs === undefined) return undefined
    this.rejected++
    return Promise.resolve({ kind: 'limited', retryAfterMs })
  }
}

test.each([1, 3, 8, 20])(
  '%d speakers at once for ten minutes: no request is rejected, and no caption is lost or doubled',
  {
    timeout: 60_000,
  },
  async speakers => {
    const clock = new FakeClock(1_000)
    const chat = new LimitedChat(clock)
    const writer = new CaptionWriter({ chat, clock })
    const said: string[] = []
    const message = (who: number, content: string) => [
      { content, speaker: { participant: `${who}`, name: `N${who}` } },
    ]
    let written = 0
    let worstMs = 0
    const saidAt: number[] = []
    // Each speaks for 3 s, then pauses for 1 s, and sees partial text meanwhile.
    for (let t = 0; t < 600_000; t += 500) {
      for (let who = 0; who < speakers; who++) {
        const [turn, at] = [Math.floor((t + who * 130) / 4_000) * speakers + who, (t + who * 130) % 4_000]
        const text = `<${turn} ${'x'.repeat(70)}>`
        if (at >= 3_500 || said.includes(text)) continue
        writer.want(turn, message(who, at < 2_500 ? text.slice(0, 20) : text), at >= 2_500)
        if (at < 2_500) continue
        said.push(text)
        saidAt.push(clock.now())
      }
      clock.advance(500)
      await settled()
      const all = chat.texts.join('\n')
      for (; written < said.length && all.includes(said[written]!); written++)
        worstMs = Math.max(worstMs, clock.now() - saidAt[written]!)
    }
    await Promise.all([
      writer.close(30_000),
      ...Array.from({ length: 60 }, () => settled().then(() => clock.advance(500))),
    ])
    const all = chat.texts.join('\n')
    for (const text of said) expect(all.split(text)).toHaveLength(2)
    expect(chat.rejected).toBe(0)
    for (const text of chat.texts) expect(text.length).toBeLessThanOrEqual(2_000)
    expect(worstMs).toBeLessThan(15_000)
  },
)

test('sentences of one speaker that share a message keep the speaker’s name', async () => {
  const clock = new FakeClock(1_000)
  const chat = new LimitedChat(clock)
  const writer = new CaptionWriter({ chat, clock })
  const speaker = { participant: 'p', name: 'Ana' }
  for (let turn = 0; turn < 20; turn++) writer.want(turn, [{ content: `sentence ${turn}`, speaker }], true)
  for (let n = 0; n < 100; n++) {
    await settled()
    clock.advance(500)
  }
  const messages = Array.from(chat.messages.values())
  expect(messages.length).toBeLessThan(20)
  for (const message of messages) expect(message.speaker).toEqual(speaker)
  expect(chat.texts.join('\n').split('\n')).toEqual(Array.from({ length: 20 }, (_, n) => `sentence ${n}`))
})
