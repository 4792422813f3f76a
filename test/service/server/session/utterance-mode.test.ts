import { createHash } from 'node:crypto'
import type { Socket } from 'socket.io'
import { beforeAll, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { pause } from '../../../../src/common/clock.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { EngineSet } from '../../../../src/service/engines/engine-set.ts'
import { boundSettings } from '../../../../src/service/server/limits.ts'
import { AudioStreams } from '../../../../src/service/server/session/audio-stream.ts'
import { type NamespaceOptions, openSts } from '../../../../src/service/server/session/namespace-sessions.ts'
import type { Channel } from '../../../../src/service/server/session/session.ts'
import type { SocketChannel } from '../../../../src/service/server/session/socket-channel.ts'
import { serviceSettings } from '../../../../src/service/server/settings.ts'
import { createMp3 } from '../../../../src/transcode/mp3/encoder.ts'
import { FakeRecognizer, FakeSynthesizer, FakeTranslator } from '../../../support/engines/fake-engines.ts'
import { query, RECEIVE } from '../../../support/service/test-client.ts'
import { sine } from '../../../support/transcode/tone.ts'

/** Translates after 100 ms. */
class SlowTranslator extends FakeTranslator {
  readonly #clock: FakeClock

  constructor(clock: FakeClock) {
    super()
    this.#clock = clock
  }

  override async translate(text: string): Promise<string> {
    await pause(this.#clock, 100)
    return super.translate(text)
  }
}

/** What a speaker says and when: `?` is a partial, `!` a final. */
const SAID: readonly (readonly [atMs: number, what: '?' | '!', text: string])[] = [
  [100, '?', 'good'],
  [300, '?', 'good morning'],
  [500, '!', 'good morning to all of you'],
  [520, '?', 'how'],
  [540, '?', 'how are'],
  [560, '!', 'how are you today'],
  [570, '!', 'nothing'],
  [580, '!', 'fail'],
  [590, '!', 'MUTE'],
  [600, '!', 'two STOP three'],
  [620, '?', 'noise'],
  [640, '!', ''],
  [660, '?', 'the'],
  [1_400, '?', 'the last one, of two hundred and fifty'],
  [1_900, '!', 'the last one, of two hundred and fifty. And 12 more.'],
]

async function events(parameters: Record<string, unknown>, config: object): Promise<unknown[]> {
  const clock = new FakeClock()
  const since = clock.now()
  const recognizer = new FakeRecognizer()
  const engines = new EngineSet({
    speechToText: [recognizer],
    translators: [new SlowTranslator(clock)],
    synthesizers: [new FakeSynthesizer()],
  })
  const settings = boundSettings(serviceSettings({ apiKeys: ['key'], ...config }))
  const options = {
    ...{ engines, clock, settings, log: noopLogger, streams: new AudioStreams() },
    workload: { follow: () => ({ [Symbol.dispose]() {} }) },
  } as unknown as NamespaceOptions
  const seen: unknown[] = []
  const channel: Channel = {
    unreadBytes: 0,
    emit(event, payload) {
      const { file, ...rest } = payload as { file?: { data: Uint8Array } }
      const sum = file && createHash('sha256').update(file.data).digest('hex').slice(0, 12)
      seen.push({
        event,
        ...(typeof payload === 'object' ? rest : {}),
        ...(file ? { mp3: `${file.data.length} ${sum}` } : {}),
      })
    },
    drained: async () => {},
    end() {},
  }
  const handshake = { query: query(parameters), headers: { host: 'service:80' } }
  const data = { holder: { takeAudio() {} } }
  const session = openSts(
    { handshake, data, request: { socket: {} } } as unknown as Socket,
    channel as SocketChannel,
    noopLogger,
    options,
  )
  await session.open()
  const stream = recognizer.streams[0]!
  const settle = async () => {
    for (let turn = 0; turn < 40; turn++) await new Promise(resolve => setImmediate(resolve))
  }
  for (const [atMs, what, text] of SAID) {
    while (clock.now() - since < atMs) {
      clock.advance(Math.min(20, since + atMs - clock.now()))
      session.take(Buffer.from(sine(300, 20, 4_000, 16_000).buffer))
      await settle()
    }
    if (what === '?') stream.guess(text)
    else stream.hear(text)
  }
  for (let n = 0; n < 100; n++) {
    clock.advance(20)
    await settle()
  }
  await session.close('over')
  return seen
}

// Loading the encoder takes real time.
beforeAll(async () => void (await createMp3(22_050, 16_000)))

test.each([
  ['block', { receiveAudio: RECEIVE }],
  ['streaming', { receiveAudio: { ...RECEIVE, mode: 'streaming' } }],
  ['final-only', { receiveAudio: { ...RECEIVE, mode: 'streaming' }, partials: 'false' }],
  ['block-with-partials', { receiveAudio: RECEIVE, partials: 'true' }],
  ['stream', { receiveAudio: { ...RECEIVE, obtainVia: 'stream', mode: 'streaming' } }],
] as const)('%s: utterance by utterance, every event is as recorded', async (name, parameters) => {
  const all = await events(parameters, { simultaneous: { mode: 'utterance' } })
  const text = JSON.stringify(all, undefined, 1).replace(/stream\/[\w-]+/g, 'stream/name')
  await expect(`${text}\n`).toMatchFileSnapshot(`./utterance-mode/${name}.txt`)
})
