import type { Announcer, NoticeName, ToneName } from '../core/announcer.ts'
import { after, type Clock } from '../core/clock.ts'
import { BridgeError } from '../core/errors.ts'
import { type LanguageId, sameLanguage } from '../core/languages.ts'
import type { Log } from '../core/log.ts'
import type { Sound } from '../core/sound.ts'
import type { Mp3Pool } from '../transcode/mp3-pool.ts'
import { levelled } from './loudness.ts'
import { SoundCache } from './sound-cache.ts'
import { readSoundFile } from './sound-file.ts'
import type { SoundOptions } from './sound-options.ts'
import type { Speaker } from './speaker.ts'
import { toneSound } from './tones.ts'
import { FALLBACK_LANGUAGE, sentence, wordsOf } from './words.ts'

/** Where there is no voice for these, the busy tone says as much. */
const BUSY: ReadonlySet<NoticeName> = new Set(['busy', 'line-full', 'minutes-spent'])

export interface SoundLibraryParts {
  readonly speaker: Speaker
  readonly options: SoundOptions
  readonly clock: Clock
  readonly log: Log
  /** Decodes mp3 files; stays the caller's. */
  readonly mp3: Mp3Pool
}

/**
 * Everything the system says: files of the operator first, then the service's voice with words in the listener's
 * language, then a tone. Kept by language, all at one level.
 */
export class SoundLibrary implements Announcer {
  readonly #parts: SoundLibraryParts
  readonly #cache: SoundCache
  readonly #tones = new Map<ToneName, Sound>()

  constructor(parts: SoundLibraryParts) {
    this.#parts = parts
    this.#cache = new SoundCache(parts.options.cacheMb << 20)
  }

  async notice(
    name: NoticeName,
    language: LanguageId,
    values: Readonly<Record<string, string>> = {},
  ): Promise<Sound> {
    const late = Promise.withResolvers<Sound>()
    const { clock, options, log } = this.#parts
    const instead = () => this.tone(BUSY.has(name) ? 'busy' : toneFor(name))
    const timer = after(clock, options.waitMs, () => late.resolve(instead()))
    const key = `notice ${name} ${language} ${JSON.stringify(Object.entries(values).sort())}`
    const sound = this.#cache
      .get(key, () => this.#made(`notice ${name} ${language}`, this.#notice(name, language, values)))
      .catch((error: unknown) => {
        log.warn({ notice: name, language, error: nameOf(error) }, 'no voice for a notice: a tone instead')
        return instead()
      })
    // It goes on being made, so that the next one who needs it need not wait.
    return await Promise.race([sound, late.promise]).finally(() => timer[Symbol.dispose]())
  }

  async say(text: string, from: LanguageId, to: LanguageId): Promise<Sound> {
    const { speaker } = this.#parts
    try {
      const words = sameLanguage(from, to) ? text : await speaker.translate(text, from, to)
      return { ...(await this.#made(`words ${to}`, speaker.speak(words, to))), text: words }
    } catch (cause) {
      const message = `no speech from ${from} into ${to} just now`
      throw new BridgeError('SPEECH_UNAVAILABLE', message, { retryable: true, cause })
    }
  }

  tone(name: ToneName): Sound {
    const known = this.#tones.get(name)
    if (known) return known
    const sound = toneSound(name, this.#parts.options.tones)
    this.#tones.set(name, sound)
    return sound
  }

  async file(name: string): Promise<Sound> {
    const { files } = this.#parts.options
    const path = Object.hasOwn(files, name) ? files[name] : undefined
    if (path === undefined)
      throw new BridgeError('CONFIG', `no sound "${name}" in sounds.files: ${Object.keys(files).join(', ')}`)
    return await this.#cache.get(`file ${path}`, () =>
      this.#made(`file ${name}`, readSoundFile(path, this.#parts.mp3)),
    )
  }

  /** Reads every file of the settings once. Throws `CONFIG` for the first that cannot be used. */
  async check(): Promise<void> {
    const { files, notices } = this.#parts.options
    for (const path of [...Object.values(files), ...Object.values(notices).flatMap(Object.values)])
      try {
        await readSoundFile(path, this.#parts.mp3)
      } catch (cause) {
        throw new BridgeError('CONFIG', cause instanceof Error ? cause.message : String(cause), { cause })
      }
  }

  /** Makes `names` for each of `languages` now, one after the other, so that no caller waits for them. Never rejects. */
  async prepare(languages: readonly LanguageId[], names: readonly NoticeName[]): Promise<void> {
    for (const language of languages) for (const name of names) await this.notice(name, language)
  }

  async #notice(
    name: NoticeName,
    language: LanguageId,
    values: Readonly<Record<string, string>>,
  ): Promise<Int16Array> {
    const { speaker, mp3, options } = this.#parts
    const file = fileOf(options, name, language)
    if (file !== undefined) return await readSoundFile(file, mp3)
    const words = wordsOf(language)
    if (words) return await speaker.speak(sentence(words, name, values), language)
    const text = sentence(wordsOf(FALLBACK_LANGUAGE)!, name, values)
    return await speaker.speak(await speaker.translate(text, FALLBACK_LANGUAGE, language), language)
  }

  async #made(name: string, pcm: Promise<Int16Array>): Promise<Sound> {
    return { name, pcm: levelled(await pcm) }
  }
}

/** The operator's own recording: for the region if there is one, else for the language. */
function fileOf({ notices }: SoundOptions, name: NoticeName, language: LanguageId): string | undefined {
  return notices[language]?.[name] ?? notices[language.slice(0, language.indexOf('-'))]?.[name]
}

/** What stands for a notice that has no voice. */
function toneFor(name: NoticeName): ToneName {
  return name === 'service-away' ? 'away' : 'beep'
}

function nameOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code)
  return error instanceof Error ? error.name : 'unknown'
}
