import { placeCall, type SimulatedCall } from '../../simulator/index.ts'
import { toLine } from '../../simulator/twilio/phone/voice.ts'
import { type App, buildApp } from '../../src/app/app.ts'
import { ScriptedRecognizer } from '../../src/cli/demo/scripts.ts'
import { withPauses } from '../../src/cli/sample-audio.ts'
import { SAMPLE_RATE } from '../../src/transcode/pcm.ts'
import { englishVoice } from '../english-voice.ts'

/** A key of the control API, for the run of this script. */
export const KEY = 'a-key-for-these-pictures-only'
export const ROOM = 'reading-club'
/** Maximum number of repetitions of the dialog. */
const ROUNDS = 40
const BREATH_MS = 300
const PAUSE_MS = 600
/** Time after each line for its translation. */
const LISTEN_MS = 5_500

/** Sentences that the offline engines recognize and translate without an error. */
const ENGLISH = ['she has three children', 'my mother has a new car']
const SPANISH = ['Nuestra casa es pequeña.', 'Yo tengo un perro muy grande.']

interface Phones {
  readonly caller: SimulatedCall
  readonly callee: SimulatedCall
}

/** A server with the embedded engines, and two phones that talk in a room until it is disposed of. */
export class Conversation implements AsyncDisposable {
  readonly address: string
  readonly #app: App
  readonly #ears: ScriptedRecognizer
  readonly #phones: Phones
  #over = false

  private constructor(app: App, address: string, ears: ScriptedRecognizer, phones: Phones) {
    this.#app = app
    this.address = address
    this.#ears = ears
    this.#phones = phones
    this.#going(this.#talk())
  }

  static async begin(): Promise<Conversation> {
    // No engine here recognizes Spanish: the script supplies the words of that side.
    const ears = await ScriptedRecognizer.listen(Array.from({ length: ROUNDS }, () => SPANISH).flat())
    const scripted = { engine: 'openai', url: ears.url, model: 'script', languages: ['es-es'] } as const
    const app = await buildApp({
      host: '127.0.0.1',
      port: 0,
      service: {},
      embedded: {
        maxSessions: 8,
        admitLagMs: 60_000,
        engines: { transcription: [{ ...scripted, pauseMs: PAUSE_MS }] },
      },
      languages: { speaks: 'en-us', hears: 'es-es' },
      control: { keys: [{ name: 'pictures', key: KEY }] },
      twilio: { authToken: [], insecure: true },
    })
    const address = await app.listen()
    const phones = {
      caller: await dialed(address, ROOM, 'John', 'en-us'),
      callee: await dialed(address, ROOM, 'Ana', 'es-es'),
    }
    return new Conversation(app, address, ears, phones)
  }

  /** Sends a request to the control API; `path` is below `/v1`. */
  async ask(method: string, path: string): Promise<Record<string, string>> {
    const headers = { authorization: `Bearer ${KEY}` }
    const response = await fetch(`${this.address}/v1${path}`, { method, headers })
    return (await response.json()) as Record<string, string>
  }

  /** Places a call into `room` that talks Spanish, with pauses of `pauseMs` for the others. */
  async visit(room: string, pauseMs: number): Promise<void> {
    const phone = await dialed(this.address, room, 'Lucía', 'es-es')
    this.#going(this.#visitor(phone, pauseMs))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true
    await this.#app.close()
    await this.#ears[Symbol.asyncDispose]()
  }

  async #talk(): Promise<void> {
    let line = 0
    for (let round = 0; round < ROUNDS; round++)
      for (const by of ['caller', 'callee'] as const) {
        if (this.#over) return
        const at = Math.floor(line++ / 2)
        const pcm =
          by === 'caller'
            ? await englishVoice(ENGLISH[at % ENGLISH.length] ?? '')
            : await this.#spanish(SPANISH[at % SPANISH.length] ?? '')
        await this.#phones[by].say(withPauses([pcm], BREATH_MS))
        await pause(LISTEN_MS)
      }
  }

  async #visitor(phone: SimulatedCall, pauseMs: number): Promise<void> {
    for (let n = 0; !this.#over; n++) {
      await phone.say(withPauses([await this.#spanish(SPANISH[n % SPANISH.length] ?? '')], BREATH_MS))
      await pause(pauseMs)
    }
  }

  /** Speech is aborted at the end. */
  #going(talk: Promise<void>): void {
    talk.catch(error => {
      if (!this.#over) throw error
    })
  }

  async #spanish(text: string): Promise<Int16Array> {
    return toLine((await this.#app.announcer.say(text, 'es-es', 'es-es')).pcm, SAMPLE_RATE)
  }
}

function dialed(address: string, room: string, name: string, language: string): Promise<SimulatedCall> {
  const query = new URLSearchParams({ room, name, speaks: language, hears: language })
  return placeCall({ webhook: `${address}/twilio/voice?${query}`, allowInsecureStream: true })
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
