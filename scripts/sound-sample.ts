import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { buildApp } from '../src/app/app.ts'
import { LINE_RATE, withPauses } from '../src/cli/sample-audio.ts'
import { placeCall } from '../src/simulator/index.ts'
import { encodeWav } from '../src/transcode/wav.ts'
import { englishVoice } from './english-voice.ts'

// `npm run sample`: writes 20 seconds of a call as the Spanish listener hears it to `sample.wav`: each English sentence
// quietly, then its translation, by the offline engines. It fails if a sentence was not understood word for word.

const { values } = parseArgs({ options: { output: { type: 'string', default: 'sample.wav' } } })
const LENGTH_MS = 20_000
const FADE_MS = 500
/** Sentences that the offline engines recognize and translate without an error. */
const SENTENCES = [
  'my mother has a new car',
  'she has three children',
  'my friend has two brothers',
  'they have a big garden',
]
/** Longest wait for a translation to end (ms). */
const PATIENCE_MS = 30_000
const BREATH_MS = 300

await using app = await buildApp({
  host: '127.0.0.1',
  port: 0,
  service: {},
  embedded: {},
  languages: { speaks: 'en-us', hears: 'es-es' },
  twilio: { authTokens: [], insecure: true },
})
const address = await app.listen()
const dial = (query: string) =>
  placeCall({ webhook: `${address}/twilio/voice?room=sample&${query}`, allowInsecureStream: true })
const understood: string[] = []
let heard = 0
app.relay.observer.on('caption', ({ final, text = '', translation }) => {
  if (!final) return
  understood.push(text)
  process.stdout.write(`${text}\n  ${translation}\n`)
})
app.relay.observer.on('utterance', ({ stage }) => {
  if (stage === 'heard') heard++
})
const listener = await dial('speaks=none&hears=es-es')
const speaker = await dial('speaks=en-us&hears=en-us')
const startedAt = listener.heard().length
for (const [n, sentence] of SENTENCES.entries()) {
  await speaker.say(withPauses([await englishVoice(sentence)], BREATH_MS))
  await until(() => heard > n)
}
const sound = listener.heard().subarray(startedAt)
await speaker.hangUp()
await listener.hangUp()
if (understood.join() !== SENTENCES.join())
  throw new Error(`understood "${understood.join('; ')}" instead of "${SENTENCES.join('; ')}"`)
await writeFile(values.output, encodeWav(ending(sound), LINE_RATE))
process.stdout.write(`${values.output}\n`)

/** The first `LENGTH_MS`, faded out. */
function ending(pcm: Int16Array): Int16Array {
  const kept = pcm.slice(0, (LENGTH_MS * LINE_RATE) / 1000)
  const fade = Math.min(kept.length, (FADE_MS * LINE_RATE) / 1000)
  for (let n = 0; n < fade; n++) kept[kept.length - 1 - n]! *= n / fade
  return kept
}

async function until(done: () => boolean): Promise<void> {
  for (let waited = 0; !done(); waited += 100) {
    if (waited > PATIENCE_MS) throw new Error('no translation was heard; is the machine busy?')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
