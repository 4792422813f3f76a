import { type Clock, setTimer } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { Announcer, NoticeName, Sound, ToneName } from '../../core/model/announcer.ts'
import { catalogKeys } from '../../messages/locale.ts'
import { FALLBACK_LANGUAGE, noticesFor, sentence } from '../../messages/notices.ts'
import type { SoundSettings } from './settings.ts'
import { levelled, readSoundFile } from './sound-file.ts'
import { toneSound } from './tones.ts'

interface Entry {
  readonly sound: Promise<Sound>
  bytes: number
}

/**
 * Caches sounds by key. Concurrent requests share one creation. Failures are not cached. Above `maxBytes`, the least
 * recently used sounds are removed.
 */
export class SoundCache {
  readonly #maxBytes: number
  /** In order of use, least recently used first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes: number) {
    if (!(maxBytes > 0)) throw new RangeError(`maxBytes must be above 0, got ${maxBytes}`)
    this.#maxBytes = maxBytes
  }

  /** Total size of the cached sounds. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#entries.size
  }

  /** Returns the sound of `key`, calling `make` if it is missing. Rejects with the error of `make`. */
  get(key: string, make: () => Promise<Sound>): Promise<Sound> {
    const known = this.#entries.get(key)
    if (known) {
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known.sound
    }
    const entry: Entry = { sound: make(), bytes: 0 }
    this.#entries.set(key, entry)
    entry.sound.then(
      ({ pcm }) => {
        entry.bytes = pcm.byteLength
        this.#bytes += entry.bytes
        this.#makeRoom()
      },
      () => this.#entries.delete(key),
    )
    return entry.sound
  }

  #makeRoom(): void {
    for (const [key, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      // A sound in creation has no size yet, and a caller waits for it.
      if (bytes === 0) continue
      this.#entries.delete(key)
      this.#bytes -= bytes
    }
  }
}

/** Notices replaced by the busy tone if they are unavailable. */
const OUTAGE: ReadonlySet<NoticeName> = new Set([
  'service-unavailable',
  'speaker-untranslated',
  'self-untranslated',
])
const BUSY: ReadonlySet<NoticeName> = new Set(['busy', 'line-full', 'minutes-spent'])

/** Time after which a tone is played because a notice is not synthesized (ms): someone waits for it. */
const TIMEOUT_MS = 2_000
/** Memory for sounds (bytes): some hundred notices. */
const CACHE_BYTES = 32 << 20

export interface SoundLibraryOptions {
  readonly speaker: SpeechSource
  readonly settings: SoundSettings
  readonly clock: Clock
  readonly log: Logger
  /** Time for the synthesis of a notice (ms). Default: 2 000. */
  readonly timeoutMs?: number
}

/**
 * All notices and sounds: files of the operator, otherwise the service’s voice in the listener’s language, otherwise a
 * tone. Cached by language, all at the same level.
 */
export class SoundLibrary implements Announcer {
  readonly #options: SoundLibraryOptions
  readonly #cache: SoundCache
  readonly #tones = new Map<ToneName, Sound>()

  constructor(options: SoundLibraryOptions) {
    this.#options = options
    this.#cache = new SoundCache(CACHE_BYTES)
  }

  async notice(
    name: NoticeName,
    language: LanguageId,
    values: Readonly<Record<string, string>> = {},
  ): Promise<Sound> {
    const late = Promise.withResolvers<Sound>()
    const { clock, log, timeoutMs = TIMEOUT_MS } = this.#options
    const instead = () => this.tone(BUSY.has(name) ? 'busy' : toneFor(name))
    const timer = setTimer(clock, timeoutMs, () => late.resolve(instead()))
    const key = `notice ${name} ${language} ${JSON.stringify(Object.entries(values).sort())}`
    const sound = this.#cache
      .get(key, () => this.#made(`notice ${name} ${language}`, this.#notice(name, language, values)))
      .catch((error: unknown) => {
        log.warn({ notice: name, language, error: nameOf(error) }, 'notice unavailable, playing tone')
        return instead()
      })
    // Its creation continues, so that the next request need not wait.
    return await Promise.race([sound, late.promise]).finally(() => timer[Symbol.dispose]())
  }

  async say(text: string, from: LanguageId, to: LanguageId): Promise<Sound> {
    const { speaker } = this.#options
    try {
      const words = sameLanguage(from, to) ? text : await speaker.translate(text, from, to)
      return { ...(await this.#made(`words ${to}`, speaker.speak(words, to))), text: words }
    } catch (cause) {
      const message = `speech from ${from} into ${to} is currently unavailable`
      throw new BridgeError('SPEECH_UNAVAILABLE', message, { retryable: true, cause })
    }
  }

  tone(name: ToneName): Sound {
    const known = this.#tones.get(name)
    if (known) return known
    const sound = toneSound(name, this.#options.settings.tones)
    this.#tones.set(name, sound)
    return sound
  }

  async file(name: string): Promise<Sound> {
    const { files } = this.#options.settings
    const path = Object.hasOwn(files, name) ? files[name] : undefined
    if (path === undefined)
      throw new BridgeError('CONFIG', `no sound "${name}" in sounds.files: ${Object.keys(files).join(', ')}`)
    return await this.#cache.get(`file ${path}`, () => this.#made(`file ${name}`, readSoundFile(path)))
  }

  /** Reads every configured file once. Throws `CONFIG` for the first unusable one. */
  async check(): Promise<void> {
    const { files, notices } = this.#options.settings
    for (const path of [...Object.values(files), ...Object.values(notices).flatMap(Object.values)])
      try {
        await readSoundFile(path)
      } catch (cause) {
        throw new BridgeError('CONFIG', cause instanceof Error ? cause.message : String(cause), { cause })
      }
  }

  async #notice(
    name: NoticeName,
    language: LanguageId,
    values: Readonly<Record<string, string>>,
  ): Promise<Int16Array> {
    const { speaker, settings } = this.#options
    const file = fileOf(settings, name, language)
    if (file !== undefined) return await readSoundFile(file)
    const words = noticesFor(language)
    if (words) return await speaker.speak(sentence(words, name, values), language)
    const text = sentence(noticesFor(FALLBACK_LANGUAGE)!, name, values)
    return await speaker.speak(await speaker.translate(text, FALLBACK_LANGUAGE, language), language)
  }

  async #made(name: string, pcm: Promise<Int16Array>): Promise<Sound> {
    return { name, pcm: levelled(await pcm) }
  }
}

/** Returns the operator’s recording: for the region if it exists, otherwise for the language. */
function fileOf({ notices }: SoundSettings, name: NoticeName, language: LanguageId): string | undefined {
  const files = catalogKeys(notices, language).map(key => notices[key]?.[name])
  return files.find(file => file !== undefined)
}

/** Returns the tone that replaces an unavailable notice. */
function toneFor(name: NoticeName): ToneName {
  return OUTAGE.has(name) ? 'unavailable' : 'beep'
}

function nameOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code)
  return error instanceof Error ? error.name : 'unknown'
}

/** A source of speech, such as a translation service. Every call can reject or take long. */
export interface SpeechSource {
  /** Speaks `text` in `language`, as 16 kHz mono. */
  speak(text: string, language: LanguageId): Promise<Int16Array>
  /** Translates `text`. */
  translate(text: string, from: LanguageId, to: LanguageId): Promise<string>
}
