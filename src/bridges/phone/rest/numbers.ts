import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { BridgeError } from '../../../common/errors.ts'
import { writeFileAtomic } from '../../../storage/atomic-file.ts'

/** The voice settings of an IncomingPhoneNumber at Twilio, and at carriers with the same resource. */
const voiceSettingsSchema = z.strictObject({
  voiceUrl: z.string(),
  voiceMethod: z.string(),
  voiceFallbackUrl: z.string(),
  voiceFallbackMethod: z.string(),
  statusCallback: z.string(),
  statusCallbackMethod: z.string(),
  /** Takes precedence over `voiceUrl`; empty: none. */
  voiceApplicationSid: z.string(),
  /** SIP trunk, takes precedence over everything; empty: none. */
  trunkSid: z.string(),
})

export type VoiceSettings = Readonly<z.infer<typeof voiceSettingsSchema>>

/** A number’s settings before binding and the bound settings, by the carrier’s ID of the number. */
const bindingsSchema = z.record(
  z.string(),
  z.strictObject({
    /** Before the first binding. */
    before: voiceSettingsSchema,
    /** Settings of the last binding. */
    bound: voiceSettingsSchema,
  }),
)

export type Bindings = z.infer<typeof bindingsSchema>

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
      return bindingsSchema.parse(JSON.parse(text))
    } catch (cause) {
      const message = `${this.path} does not contain the earlier settings of numbers: fix or move the file`
      throw new BridgeError('CONFIG', message, { cause })
    }
  }

  /** Replaces the file atomically. */
  async write(bindings: Bindings): Promise<void> {
    try {
      await writeFileAtomic(this.path, `${JSON.stringify(bindings, null, 2)}\n`)
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
      throw new BridgeError('CONFIG', `${this.path} cannot be written (${code})`, { cause })
    }
  }
}

const FIELDS = [
  'voiceUrl',
  'voiceMethod',
  'voiceFallbackUrl',
  'voiceFallbackMethod',
  'statusCallback',
  'statusCallbackMethod',
  'voiceApplicationSid',
  'trunkSid',
] as const satisfies (keyof VoiceSettings)[]

/** Returns the voice settings of `number`; carriers return null for unset fields. */
export function voiceSettingsOf(number: Readonly<Record<keyof VoiceSettings, string | null>>): VoiceSettings {
  const settings = Object.fromEntries(FIELDS.map(field => [field, number[field] ?? '']))
  return settings as Record<keyof VoiceSettings, string>
}

/** Returns the settings that route calls to the bridge of `carrier` at `publicUrl` (without a trailing slash). */
export function boundSettings(publicUrl: string, carrier: string): VoiceSettings {
  return {
    voiceUrl: `${publicUrl}/${carrier}/voice`,
    voiceMethod: 'POST',
    // Without the bridge, calls cannot be interpreted, so the carrier’s own message is sufficient.
    voiceFallbackUrl: '',
    voiceFallbackMethod: 'POST',
    statusCallback: `${publicUrl}/${carrier}/status`,
    statusCallbackMethod: 'POST',
    voiceApplicationSid: '',
    trunkSid: '',
  }
}

/** Returns true if both route calls to the same place. */
function sameSettings(a: VoiceSettings, b: VoiceSettings): boolean {
  return FIELDS.every(field => a[field] === b[field])
}

/** Result of binding or unbinding a number. */
export interface NumberChange {
  readonly before: VoiceSettings
  readonly after: VoiceSettings
  /** False if the settings were already in place. */
  readonly changed: boolean
}

/** A number of an account. */
export interface OwnedNumber {
  readonly sid: string
  readonly settings: VoiceSettings
}

/** The part of a carrier’s API that knows numbers. Rejects only with `BridgeError`. */
export interface NumbersApi {
  /** Name of the carrier. */
  readonly carrier: string
  /** Returns the number; undefined if the account does not own it. */
  find(phoneNumber: string): Promise<OwnedNumber | undefined>
  update(sid: string, settings: VoiceSettings): Promise<void>
}

export interface NumbersOptions {
  readonly api: NumbersApi
  /** Stores the original settings of the numbers. */
  readonly file: BindingFile
}

/**
 * The account’s phone numbers: routes their calls to this bridge and restores the original settings. Everything
 * rejects with `BridgeError`: `CONFIG` for problems the operator can fix, `DIAL_FAILED` for errors from the carrier.
 */
export class Numbers {
  readonly #api: NumbersApi
  readonly #file: BindingFile

  constructor({ api, file }: NumbersOptions) {
    this.#api = api
    this.#file = file
  }

  /**
   * Routes calls of `phoneNumber` (E.164) to the bridge at `publicUrl`. Binding again to another address keeps the
   * original settings.
   */
  async bind(phoneNumber: string, publicUrl: string): Promise<NumberChange> {
    const number = await this.#find(phoneNumber)
    const bindings = await this.#file.read()
    const before = number.settings
    const after = boundSettings(publicUrl, this.#api.carrier)
    const known = bindings[number.sid]
    // Settings changed since binding are the ones to restore; ours are not.
    const original = known && sameSettings(known.bound, before) ? known.before : before
    if (sameSettings(before, after) && !known)
      throw new BridgeError(
        'CONFIG',
        `the number already points here, but ${this.#file.path} has no record of its earlier settings`,
      )
    // Written first: a bound number that cannot be restored would be worse than an unnecessary record.
    await this.#file.write({ ...bindings, [number.sid]: { before: original, bound: after } })
    if (sameSettings(before, after)) return { before, after, changed: false }
    await this.#api.update(number.sid, after)
    return { before, after, changed: true }
  }

  /** Restores the settings from before `bind`. With `force`, even if they have changed since. */
  async unbind(phoneNumber: string, { force = false } = {}): Promise<NumberChange> {
    const number = await this.#find(phoneNumber)
    const { [number.sid]: known, ...others } = await this.#file.read()
    if (!known)
      throw new BridgeError(
        'CONFIG',
        `${this.#file.path} has no record of the number’s earlier settings; nothing was changed`,
      )
    const before = number.settings
    if (!force && !sameSettings(before, known.bound) && !sameSettings(before, known.before))
      throw new BridgeError(
        'CONFIG',
        `the number has changed since it was bound, to ${before.voiceUrl || 'another address'}; nothing was changed. Use force to restore it anyway`,
      )
    const changed = !sameSettings(before, known.before)
    if (changed) await this.#api.update(number.sid, known.before)
    await this.#file.write(others)
    return { before, after: known.before, changed }
  }

  async #find(phoneNumber: string): Promise<OwnedNumber> {
    const number = await this.#api.find(phoneNumber)
    if (number) return number
    throw new BridgeError('CONFIG', 'the account has no such number: check the number and the credentials')
  }
}
