import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { samplesOf } from '../../../../src/transcode/pcm.ts'
import { FAKE_KEY, type FakeConversation, FakeLiveServer, Refusal } from './fake-live-server.ts'
import { ToneEars } from './tone-ears.ts'

const RATE = 16_000
const QUERY = [
  ...['sample_rate', 'encoding', 'speech_model', 'format_turns', 'keyterms_prompt', 'language_detection'],
  ...['min_turn_silence', 'max_turn_silence', 'end_of_turn_confidence_threshold'],
]
const refuse = (reason: string, code = 3006) => new Refusal(reason, { type: 'Error', error: reason }, code)

/** A strict fake of AssemblyAI's streaming transcription of tones, version 3. */
export class FakeAssemblyAi extends FakeLiveServer {
  /** Seconds until sessions expire. */
  expiresIn = 10_800
  /** Closes the next session with this code, after its first word. */
  closesWith: number | undefined

  protected refuse({ url = '', headers }: IncomingMessage): { reason: string; status: number } | undefined {
    const { pathname, searchParams } = new URL(url, 'ws://fake')
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (headers.authorization !== FAKE_KEY) return { reason: 'a wrong key', status: 401 }
    if (pathname !== '/v3/ws') return { reason: `the path ${pathname}`, status: 404 }
    const unknown = [...searchParams.keys()].find(name => !QUERY.includes(name))
    if (unknown !== undefined) return { reason: `the parameter ${unknown}`, status: 400 }
    if (searchParams.get('sample_rate') !== String(RATE) || searchParams.get('encoding') !== 'pcm_s16le')
      return { reason: 'audio of an unknown format', status: 400 }
    return undefined
  }

  protected converse(
    send: (message: object) => void,
    _request: IncomingMessage,
    socket: WebSocket,
  ): FakeConversation {
    let order = 0
    let over = false
    const turn = (transcript: string, fromMs: number, toMs: number, marks: object) =>
      send({
        type: 'Turn',
        turn_order: order,
        turn_is_formatted: false,
        end_of_turn: false,
        end_of_turn_confidence: 0.5,
        transcript,
        language_code: 'en',
        words: transcript === '' ? [] : [{ text: transcript, start: fromMs, end: toMs, word_is_final: true }],
        ...marks,
      })
    const ears = new ToneEars(RATE, {
      began: ({ word }, ms) => turn(word.slice(0, 2), ms, ms + 100, {}),
      ended: ({ word }, fromMs, toMs) => {
        turn(word, fromMs, toMs, { end_of_turn: true })
        turn(`${word[0]!.toUpperCase()}${word.slice(1)}.`, fromMs, toMs, {
          end_of_turn: true,
          turn_is_formatted: true,
        })
        order++
        if (this.closesWith !== undefined) socket.close(this.closesWith)
        this.closesWith = undefined
      },
    })
    const expiry = setTimeout(() => socket.close(3008), this.expiresIn * 1_000)
    send({ type: 'Begin', id: 's', expires_at: Math.floor(Date.now() / 1_000) + this.expiresIn })
    send({ type: 'SpeechStarted', timestamp: 0 })
    return {
      message: ({ type }) => {
        if (type === 'Terminate') {
          over = true
          send({ type: 'Termination', audio_duration_seconds: Math.round(ears.ms / 1_000) })
        } else if (type !== 'ForceEndpoint' && type !== 'UpdateConfiguration')
          throw refuse(`an event ${String(type)}`)
      },
      binary: data => {
        if (over) throw refuse('audio after Terminate')
        if (data.length % 2 !== 0) throw refuse('half a sample')
        const ms = data.length / 2 / (RATE / 1_000)
        if (ms < 50 || ms > 1_000) throw refuse(`a message of ${ms} ms`, 3007)
        ears.write(samplesOf(new Uint8Array(data)).slice())
      },
      closed: () => clearTimeout(expiry),
    }
  }
}
