/**
 * The full cycle: the speech in an audio file is translated and spoken while it is still being sent. The voice arrives
 * as one stream, as for a player, and is saved as an mp3 file.
 *
 *   SERVICE_URL=http://127.0.0.1:4000 SERVICE_KEY=… npm run example examples/interpret.ts [file.wav] [from] [to] [heard.mp3]
 */
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceClient } from 'dragoman/service'
import { mono, readWav } from 'dragoman/transcode'

const FRAGMENT_MS = 60
const { SERVICE_URL = '', SERVICE_KEY = '', PACE = '1' } = process.env
const [file = 'recordings/sense-and-sensibility-2.wav', languageIdSource = 'en-us', ...rest] =
  process.argv.slice(2)
const [languageIdTarget = 'es-es', heard = 'heard.mp3'] = rest

const wav = readWav(await readFile(file))
const pcm = mono(wav)
const client = new ServiceClient({ url: SERVICE_URL, apiKey: SERVICE_KEY })
await using session = await client.openSession('/sts', {
  languageIdSource,
  languageIdTarget,
  sendAudio: { sampleRate: wav.rate },
  receiveAudio: { obtainVia: 'stream', mode: 'streaming' },
  partials: false,
})

// The stream has an address; it is fetched only if it is the service's own.
const listening = pipeline(Readable.from(session.audio ?? []), createWriteStream(heard))
const reading = (async () => {
  for await (const event of session.events()) {
    if (event.kind === 'result') console.log(`${event.text} → ${event.translation ?? ''}`)
    if (event.kind === 'error') console.log(`! ${event.error.message}`)
  }
})()

const samples = (wav.rate * FRAGMENT_MS) / 1_000
const begin = performance.now()
for (let at = 0; at < pcm.length; at += samples) {
  await session.send(pcm.subarray(at, at + samples))
  const due = begin + (at / wav.rate / Number(PACE)) * 1_000
  await sleep(Math.max(0, due - performance.now()))
}
await session.finish()
await Promise.all([reading, listening])
console.log(`Recognized: ${heard}`)
