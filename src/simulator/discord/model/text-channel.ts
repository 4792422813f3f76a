import type { Json } from '../json.ts'
import { Channel } from './channel.ts'

/** A text channel. */
export class TextChannel extends Channel {
  readonly kind = 'text'

  override get json(): Json {
    return { ...super.json, topic: null, default_auto_archive_duration: 1440 }
  }
}
