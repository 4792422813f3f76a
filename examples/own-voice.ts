/**
 * Two legs and a translator without any network: the relay as a library. One leg says a tone, the "service" answers
 * every second of it with another tone, and the other leg hears that. Runs for three seconds and prints the received
 * audio.
 *
 *   npm run example examples/own-voice.ts
 */
import { Relay, relayOptions } from 'dragoman'
import { FakeLeg, FakeTranslator, Mp3Maker, tone } from 'dragoman/simulator'
import { FRAME_SAMPLES, loudness } from 'dragoman/transcode'

const translator = new FakeTranslator()
const relay = new Relay({ translator, options: relayOptions() })
await relay.ready()
const maker = await Mp3Maker.create()

const anna = new FakeLeg('anna')
const bob = new FakeLeg('bob')
relay.admit(anna, { room: 'example', speaks: 'en-us', hears: 'en-us' })
relay.admit(bob, { room: 'example', hears: 'es-es' })

for (let second = 1; second <= 3; second++) {
  const voice = tone(440, 1_000)
  for (let at = 0; at < voice.length; at += FRAME_SAMPLES) {
    anna.say(voice.subarray(at, at + FRAME_SAMPLES))
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  translator.last.sink.result({
    utterance: String(second),
    final: true,
    text: `tone ${second}`,
    translation: `tono ${second}`,
    audio: maker.tone(1_000, 500),
  })
  translator.last.sink.endOfSpeech()
}
await new Promise(resolve => setTimeout(resolve, 700))
const heard = bob.heard()
console.log(
  `Bob heard ${(heard.length / 16_000).toFixed(1)} s: original ${Math.round(loudness(heard, 440, 16_000))},`,
)
console.log(`translation ${Math.round(loudness(heard, 1_000, 16_000))} (amplitudes)`)
await relay.close()
