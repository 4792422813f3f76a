/**
 * Transcribes an audio file live: sends it in real time and prints the results as they arrive.
 *
 *   SERVICE_URL=http://127.0.0.1:4000 SERVICE_KEY=… npm run example examples/transcribe.ts [file.wav] [language]
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceClient } from 'dragoman/service'
import { mono, readWav } from 'dragoman/transcode'

const FRAGMENT_MS = 60
const { SERVICE_URL = '', SERVICE_KEY = '', PACE = '1' } = process.env
const [file = 'recordings/sense-and-sensibility-2.wav', languageIdSource = 'en-us'] = process.argv.slice(2)

const wav = readWav(await readFile(file))
const pcm = mono(wav)
const client = new ServiceClient({ url: SERVICE_URL, apiKey: SERVICE_KEY })
await using session = await client.openSession('/stt', {
  languageIdSource,
  sendAudio: { sampleRate: wav.rate },
  partials: true,
})

const reading = (async () => {
  for await (const { final, text } of session) console.log(final ? `= ${text}` : `… ${text}`)
})()

const samples = (wav.rate * FRAGMENT_MS) / 1_000
const begin = performance.now()
for (let at = 0; at < pcm.length; at += samples) {
  await session.send(pcm.subarray(at, at + samples))
  const due = begin + (at / wav.rate / Number(PACE)) * 1_000
  await sleep(Math.max(0, due - performance.now()))
}
const end = await session.finish()
await reading
console.log(`The session has ${end.kind}.`)
