import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { writeWhole } from '../../storage/atomic-file.ts'
import type { VoiceSettings } from './voice-settings.ts'

const settings = z.strictObject({
  voiceUrl: z.string(),
  voiceMethod: z.string(),
  voiceFallbackUrl: z.string(),
  voiceFallbackMethod: z.string(),
  statusCallback: z.string(),
  statusCallbackMethod: z.string(),
  voiceApplicationSid: z.string(),
  trunkSid: z.string(),
}) satisfies z.ZodType<VoiceSettings>

const schema = z.record(
  z.string(),
  z.strictObject({
    /** Before the first binding. */
    before: settings,
    /** What the last binding set. */
    bound: settings,
  }),
)

/** A number’s settings before binding and the bound settings, by the `PN…` of the number. */
export type Bindings = Record<string, { readonly before: VoiceSettings; readonly bound: VoiceSettings }>

/**
 * A small JSON file with the data for `unbind`. Readable only by its owner, because its addresses can contain tokens.
 * A missing file counts as empty; an invalid one throws `BridgeError` `CONFIG` and is never overwritten.
 */
export class BindingFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  async read(): Promise<Bindings> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}'
      throw new BridgeError('CONFIG', `${this.path} cannot be read (${error.code})`, { cause: error })
    })
    try {
      return schema.parse(JSON.parse(text))
    } catch (cause) {
      const message = `${this.path} does not contain the earlier settings of numbers: fix or move the file`
      throw new BridgeError('CONFIG', message, { cause })
    }
  }

  /** Replaces the file atomically. */
  async write(bindings: Bindings): Promise<void> {
    try {
      await writeWhole(this.path, `${JSON.stringify(bindings, null, 2)}\n`)
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
      throw new BridgeError('CONFIG', `${this.path} cannot be written (${code})`, { cause })
    }
  }
}
