import { type Clock, systemClock } from '../common/clock.ts'
import { type Log, silentLog } from '../common/log.ts'
import type { Announcer } from '../core/model/announcer.ts'
import { type SoundSettings, soundOptionsSchema } from '../media/sounds/settings.ts'
import { SoundLibrary } from '../media/sounds/sound-library.ts'
import { ServiceClient } from '../service/client/service-client.ts'
import { ServiceSpeaker } from '../service/client/speaker.ts'
import { Mp3Pool } from '../transcode/mp3/mp3-pool.ts'

/** Address of the service that speaks notices, and the sound settings. */
export interface AnnouncerParts {
  /** Custom recordings, tones and limits. Default: none, and the defaults. */
  readonly settings?: SoundSettings | undefined
  /** Address of the translation service; a function if it can change. */
  readonly url: string | (() => string)
  readonly apiKey: string
  readonly clock?: Clock
  readonly log?: Log
}

/**
 * Opens the announcer, which speaks the bridges’ notices with the service’s voices. The caller disposes it. Throws
 * `BridgeError` `CONFIG` for a file that cannot be played.
 */
export async function openAnnouncer(parts: AnnouncerParts): Promise<Announcer & Disposable> {
  const { settings, apiKey, clock = systemClock, log = silentLog } = parts
  const { url: where } = parts
  const url = typeof where === 'string' ? () => where : where
  const mp3 = new Mp3Pool({ max: 2 })
  const speaker = new ServiceSpeaker(() => new ServiceClient({ url: url(), apiKey, clock }), mp3)
  const library = new SoundLibrary({
    speaker,
    options: soundOptionsSchema.parse(settings ?? {}),
    clock,
    log,
    mp3,
  })
  try {
    await library.check()
  } catch (error) {
    mp3.close()
    throw error
  }
  return Object.assign(library, { [Symbol.dispose]: () => mp3.close() })
}
