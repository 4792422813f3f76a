import { type App, buildApp } from '../../src/app.ts'
import { DIALOGUE } from '../../src/commands/demo/dialogue.ts'
import { ScriptedEars } from '../../src/commands/demo/scripted-ears.ts'
import { bundledSentences, lineAudio, withPauses } from '../../src/commands/recording.ts'
import { placeCall, type SimulatedCall } from '../../src/simulator/index.ts'
import { toLine } from '../../src/simulator/phone/voice.ts'
import { SAMPLE_RATE } from '../../src/transcode/pcm.ts'

/** A key of the control API, for the run of this script. */
export const KEY = 'a-key-for-these-pictures-only'
export const ROOM = 'reading-club'
/** How often the dialogue may be said. */
const ROUNDS = 40
const BREATH_MS = 300
const PAUSE_MS = 600
/** After each line, for its translation. */
const LISTEN_MS = 5_500

interface Phones {
  readonly caller: SimulatedCall
  readonly callee: SimulatedCall
}

/** A server with the embedded engines, and two telephones that talk in a room until it is disposed of. */
export class Conversation implements AsyncDisposable {
  readonly address: string
  readonly #app: App
  readonly #ears: ScriptedEars
  readonly #phones: Phones
  #over = false

  private constructor(app: App, address: string, ears: ScriptedEars, phones: Phones) {
    this.#app = app
    this.address = address
    this.#ears = ears
    this.#phones = phones
    void this.#talk()
  }

  static async begin(): Promise<Conversation> {
    // No engine here recognises Spanish: the words of that side are taken from the script.
    const spanish = DIALOGUE.flatMap(({ by, text }) => (by === 'callee' ? text : []))
    const ears = await ScriptedEars.listen(Array.from({ length: ROUNDS }, () => spanish).flat())
    const scripted = { engine: 'openai', url: ears.url, model: 'script', languages: ['es-es'] } as const
    const app = await buildApp({
      host: '127.0.0.1',
      port: 0,
      service: {},
      embedded: { engines: { transcription: [{ ...scripted, pauseMs: PAUSE_MS }] } },
      languages: { speaks: 'en-us', hears: 'es-es' },
      control: { keys: [{ name: 'pictures', key: KEY }] },
      twilio: { authTokens: [], insecure: true },
    })
    const address = await app.listen()
    const dial = (name: string, language: string) =>
      placeCall({
        webhook: `${address}/twilio/voice?${new URLSearchParams({ room: ROOM, name, speaks: language, hears: language })}`,
        allowInsecureStream: true,
      })
    const phones = { caller: await dial('John', 'en-us'), callee: await dial('Ana', 'es-es') }
    return new Conversation(app, address, ears, phones)
  }

  /** Asks the control API; `path` is below `/v1`. */
  async ask(method: string, path: string): Promise<Record<string, string>> {
    const headers = { authorization: `Bearer ${KEY}` }
    const response = await fetch(`${this.address}/v1${path}`, { method, headers })
    return (await response.json()) as Record<string, string>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true
    await this.#app.close()
    await this.#ears[Symbol.asyncDispose]()
  }

  async #talk(): Promise<void> {
    const sentences = await bundledSentences()
    for (let round = 0; round < ROUNDS; round++)
      for (const { by, recording, text } of DIALOGUE) {
        if (this.#over) return
        const pcm =
          recording === undefined
            ? toLine((await this.#app.announcer.say(text, 'es-es', 'es-es')).pcm, SAMPLE_RATE)
            : await lineAudio(sentences[recording - 1] ?? '')
        await this.#phones[by].say(withPauses([pcm], BREATH_MS))
        await new Promise(resolve => setTimeout(resolve, LISTEN_MS))
      }
  }
}
