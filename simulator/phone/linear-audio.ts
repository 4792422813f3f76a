import { decodeMulaw, encodeMulaw } from '../../src/transcode/g711.ts'
import { bytesOf, samplesOf } from '../../src/transcode/pcm.ts'
import { createResampler } from '../../src/transcode/resample/resampler.ts'
import type { PhoneReader } from '../twilio/phone/profile.ts'
import { Wire } from '../twilio/phone/wire.ts'

// The simulated phones speak and hear µ-law; these convert at the edge of a stream with linear PCM of 16 kHz. Its byte order
// is not documented: low byte first is assumed.

/** Returns a converter of media payloads from µ-law to linear PCM, both in base64. */
export function linearVoice(): (payload: string) => string {
  const up = createResampler(8_000, 16_000)
  return payload => {
    const mulaw = Buffer.from(payload, 'base64')
    const narrow = new Int16Array(mulaw.length)
    decodeMulaw(mulaw, narrow)
    const wide = up.process(narrow)
    return Buffer.from(bytesOf(wide)).toString('base64')
  }
}

/** Messages whose audio is linear PCM. */
export class LinearWire extends Wire {
  readonly #linear = linearVoice()

  override start(parameters: Readonly<Record<string, string>> | undefined, callSid?: string): string {
    return super
      .start(parameters, callSid)
      .replace('"encoding":"audio/x-mulaw","sampleRate":8000', '"encoding":"audio/x-L16","sampleRate":16000')
  }

  override media(timestampMs: number, payload: string): string {
    return super.media(timestampMs, this.#linear(payload))
  }
}

/** Returns a reader whose audio is µ-law, from one whose audio is linear PCM. */
export function linearReader(reader: PhoneReader): PhoneReader {
  const down = createResampler(16_000, 8_000)
  return {
    read(data, isBinary) {
      const message = reader.read(data, isBinary)
      if (message.kind !== 'media') return message
      const bytes = Buffer.from(message.payload, 'base64')
      if (bytes.length % 2 !== 0)
        return { kind: 'wrong', code: 31951, why: 'media.payload is not whole samples of 16 bits' }
      const narrow = down.process(samplesOf(bytes))
      const mulaw = Buffer.alloc(narrow.length)
      encodeMulaw(narrow, mulaw)
      return { kind: 'media', payload: mulaw.toString('base64'), bytes: mulaw.length }
    },
  }
}
