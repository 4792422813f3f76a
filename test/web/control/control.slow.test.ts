import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventSource } from 'eventsource'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loudness } from '../../../src/transcode/level.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { encodeWav, readWav } from '../../../src/transcode/wav.ts'
import { bridge, envelope, LINE_RATE, recognised, sentence, similarity } from '../../support/e2e/phones.ts'
import { sine } from '../../support/transcode/tone.ts'
import { Receiving } from '../../support/web/webhook-receiver.ts'

const KEY = 'a-key-that-nobody-would-guess'
const SAID = 'had he married a more amiable woman he might have been made still more respectable than he was'

let b: Awaited<ReturnType<typeof bridge>>
let hooks: Receiving
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-control-'))
  const jingle = join(folder, 'jingle.wav')
  await writeFile(jingle, encodeWav(sine(1_000, 1_500), 16_000))
  hooks = await Receiving.open()
  b = await bridge({
    control: { keys: [{ name: 'test', key: KEY }] },
    webhooks: [{ url: hooks.url, secret: 'a secret of the receiver', includeTexts: true }],
    transcripts: { store: 'disk', folder: join(folder, 'transcripts') },
    sounds: { files: { jingle } },
  })
})
afterAll(async () => {
  await b.app.close()
  await hooks[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
async function ask(method: string, path: string, body?: object) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${b.address}/v1${path}`, { method, headers, ...sent })
  const text = await response.text()
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

/** The embedded voice’s audio for `text`, at the line’s rate. */
function spanish(text: string): Int16Array {
  const { stdout } = spawnSync('espeak-ng', ['-v', 'es', '-s', '165', '-a', '80', '--stdin', '--stdout'], {
    input: text,
  })
  const wav = readWav(stdout)
  return createResampler(wav.rate, LINE_RATE).process(wav.pcm).slice()
}

// Real engines, real time, on any machine: the timeouts account for that.
test('a program controls a phone call: speaks, plays, mutes, reads, transcribes and hangs up', async () => {
  const phone = await b.dial({ room: 'desk', speaks: 'en-us', hears: 'es-es' })
  const { participants } = (await ask('GET', '/rooms/desk/participants')).body
  expect(participants).toMatchObject([{ channel: 'twilio', speaks: 'en-us', hears: 'es-es' }])
  expect(JSON.stringify(participants)).not.toContain(phone.from)

  const { token } = (await ask('POST', '/rooms/desk/captions/link')).body
  const captions: { final: boolean; text: string; translation: string; startMs: number; endMs: number }[] = []
  const source = new EventSource(`${b.address}/v1/rooms/desk/captions?token=${token}`)
  source.addEventListener('caption', ({ data }) => captions.push(JSON.parse(data)))
  let over = false
  source.addEventListener('end', () => {
    over = true
    source.close()
  })

  // A text, in their language and with the service’s voice.
  expect(await ask('POST', '/rooms/desk/say', { text: 'Good morning.', language: 'en-us' })).toMatchObject({
    status: 202,
    body: { announcements: [{ participant: participants[0].id, language: 'es-es' }] },
  })
  await b.until(() => envelope(phone.heard()).filter(level => level > 200).length > 20, 30_000, 'a voice')
  await b.until(
    () =>
      envelope(phone.heard())
        .slice(-25)
        .every(level => level < 100),
    30_000,
    'its end',
  )
  // A stretch of that voice is in it, sample by sample; another sentence is not.
  const alike = (text: string) => similarity(spanish(text).subarray(1_600, 4_000), phone.heard()).best
  expect(alike('Buenos días.')).toBeGreaterThan(0.7)
  expect(alike('Hasta mañana.')).toBeLessThan(0.5)

  // A file of the operator.
  const before = phone.heard().length
  expect((await ask('POST', '/rooms/desk/play', { file: 'jingle' })).status).toBe(202)
  await b.until(() => loudness(phone.heard().subarray(before), 1_000, LINE_RATE) > 300, 30_000, 'the jingle')

  // Captions are readable live, and later.
  await phone.say(await sentence(4), LINE_RATE)
  await b.until(() => captions.some(({ final }) => final), 30_000, 'a caption')
  await b.until(() => b.utterances.some(({ stage }) => stage === 'heard'), 30_000, 'the translation')
  const finals = captions.filter(({ final }) => final)
  expect(recognised(SAID, finals.map(({ text }) => text).join(' '))).toBeGreaterThan(0.5)
  const [first] = finals
  // The sentence is about six seconds long.
  expect(first!.endMs - first!.startMs).toBeGreaterThan(1_000)
  expect(first!.endMs - first!.startMs).toBeLessThan(9_000)
  const subtitles = (await ask('GET', '/rooms/desk/transcript?format=srt')).text
  expect(subtitles).toContain(first!.translation)

  expect((await ask('DELETE', `/participants/${participants[0].id}`)).status).toBe(200)
  await phone.ended
  await b.until(() => over, 10_000, 'the end of the captions')
  await b.until(() => hooks.order.at(-1) === 'desk room.closed', 10_000, 'the last webhook')
  expect(hooks.order.slice(0, 2)).toEqual(['desk room.opened', 'desk participant.joined'])
  expect(hooks.order.at(-2)).toBe('desk participant.left')
  const told = hooks.got
    .filter(({ event }) => event.type === 'utterance.final')
    .map(({ event }) => event.data.text)
  expect(told).toEqual(finals.map(({ text }) => text))
  expect(hooks.got.map(({ event }) => event.sequence)).toEqual(hooks.got.map((_, index) => index + 1))
  expect(JSON.stringify(hooks.got)).not.toContain(phone.from)

  await b.until(() => b.app.relay.rooms.size === 0, 10_000, 'the end of the room')
  const transcriptsOfDesk = async () => (await ask('GET', '/transcripts?room=desk')).body.transcripts
  await expect.poll(transcriptsOfDesk, { timeout: 60_000 }).toHaveLength(1)
  const transcripts = await transcriptsOfDesk()
  expect((await ask('GET', `/transcripts/${transcripts[0].id}`)).body.entries[0].text).toBe(first!.text)
})
