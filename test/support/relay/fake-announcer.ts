import { BridgeError } from '../../../src/common/errors.ts'
import type { LanguageId } from '../../../src/common/language.ts'
import type { Sound } from '../../../src/core/model/announcer.ts'
import {
  type Announcer,
  NOTICES,
  type NoticeName,
  TONES,
  type ToneName,
} from '../../../src/core/model/announcer.ts'
import { sine } from '../transcode/tone.ts'

/** Length of notices (ms). */
export const NOTICE_MS = 400

/** Each notice is a different tone, so that a test can identify it. */
export function noticeHz(name: NoticeName): number {
  return 600 + 50 * NOTICES.indexOf(name)
}

/** Each call tone is also a different tone. */
export function toneHz(name: ToneName): number {
  return 350 + 50 * TONES.indexOf(name)
}

/** An announcer whose words are tones, ready at once; records its requests. */
export class FakeAnnouncer implements Announcer {
  /** `busy es-es`, followed by the values if there are any. */
  readonly asked: string[] = []

  async notice(
    name: NoticeName,
    language: LanguageId,
    values: Readonly<Record<string, string>> = {},
  ): Promise<Sound> {
    const more = Object.entries(values).map(([key, value]) => ` ${key}=${value}`)
    this.asked.push(`${name} ${language}${more.join('')}`)
    return { name: `notice ${name} ${language}`, pcm: sine(noticeHz(name), NOTICE_MS) }
  }

  async say(): Promise<Sound> {
    throw new BridgeError('SPEECH_UNAVAILABLE', 'this announcer has no voice')
  }

  tone(name: ToneName): Sound {
    return { name: `tone ${name}`, pcm: sine(toneHz(name), 1_000), loop: true }
  }

  async file(name: string): Promise<Sound> {
    throw new BridgeError('CONFIG', `no sound "${name}"`)
  }
}
