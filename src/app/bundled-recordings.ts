import { readFile } from 'node:fs/promises'
import type { Voice } from '../../simulator/twilio/phone/voice.ts'
import { mono, readWav } from '../transcode/wav.ts'
import { ControlError } from '../web/control/errors.ts'
import type { RecordingView } from '../web/dashboard/state.ts'

const FOLDER = new URL('../../recordings/', import.meta.url)
/** ID for all recordings in sequence. */
const ALL = 'all'

interface Known extends RecordingView {
  readonly file: string
}

interface Transcript {
  readonly file: string
  readonly language: string
  readonly durationMs: number
  readonly text: string
}

/** The recorded human voices shipped with the program (`recordings/README.md`), at phone quality. Read on first use. */
export class Recordings {
  #known: Promise<readonly Known[]> | undefined
  readonly #voices = new Map<string, Promise<Voice>>()

  /** Rejects if the files are missing. */
  async list(): Promise<readonly RecordingView[]> {
    const known = await this.#files()
    const seconds = known.reduce((sum, each) => sum + each.seconds, 0)
    const all = {
      id: ALL,
      title: 'All, one after the other',
      language: 'en-us',
      seconds: Math.round(seconds),
    }
    return [...known.map(({ file: _, ...view }) => view), all]
  }

  /** Returns the voices for `id`, in order. Rejects with `value_not_allowed` for an unknown ID. */
  async voices(id: string): Promise<readonly Voice[]> {
    const known = await this.#files()
    const wanted = id === ALL ? known : known.filter(each => each.id === id)
    if (wanted.length === 0)
      throw new ControlError(
        'value_not_allowed',
        `recording is ${known.map(each => each.id).join(', ')} or ${ALL}, got ${id}`,
      )
    return await Promise.all(wanted.map(({ file }) => this.#voice(file)))
  }

  #files(): Promise<readonly Known[]> {
    this.#known ??= readList()
    return this.#known
  }

  #voice(file: string): Promise<Voice> {
    const known = this.#voices.get(file)
    if (known) return known
    const voice = readVoice(file)
    this.#voices.set(file, voice)
    return voice
  }
}

async function readList(): Promise<readonly Known[]> {
  const list = JSON.parse(
    await readFile(new URL('transcripts.json', FOLDER), 'utf8'),
  ) as readonly Transcript[]
  return list.map(({ file, text, language, durationMs }) => {
    const id = file.replace(/\.wav$/, '')
    return { id, title: text, language, seconds: Math.round(durationMs / 1_000), file }
  })
}

async function readVoice(file: string): Promise<Voice> {
  // Loaded with the first simulated call: a server without them does not need the simulator.
  const { voiceOf } = await import('../../simulator/twilio/phone/voice.ts')
  const wav = readWav(await readFile(new URL(file, FOLDER)))
  return voiceOf(mono(wav), wav.rate)
}
