import type { Twilio } from 'twilio'
import { BridgeError } from '../../common/errors.ts'
import { RestFailure } from '../telephony/outbound/rest-failure.ts'
import type { BindingFile } from './binding-file.ts'
import { boundSettings, sameSettings, type VoiceSettings, voiceSettingsOf } from './voice-settings.ts'

/** Result of binding or unbinding a number. */
export interface Change {
  readonly before: VoiceSettings
  readonly after: VoiceSettings
  /** False if the settings were already in place. */
  readonly changed: boolean
}

export interface NumbersOptions {
  readonly client: Pick<Twilio, 'incomingPhoneNumbers'>
  /** Stores the original settings of the numbers. */
  readonly file: BindingFile
}

/**
 * The account’s phone numbers: routes their calls to this bridge and restores the original settings. Everything
 * rejects with `BridgeError`: `CONFIG` for problems the operator can fix, `DIAL_FAILED` for errors from Twilio.
 */
export class Numbers {
  readonly #client: NumbersOptions['client']
  readonly #file: BindingFile

  constructor({ client, file }: NumbersOptions) {
    this.#client = client
    this.#file = file
  }

  /**
   * Routes calls of `phoneNumber` (E.164) to the bridge at `publicUrl`. Binding again to another address keeps the
   * original settings.
   */
  async bind(phoneNumber: string, publicUrl: string): Promise<Change> {
    const number = await this.#find(phoneNumber)
    const bindings = await this.#file.read()
    const before = voiceSettingsOf(number)
    const after = boundSettings(publicUrl)
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
    await this.#update(number.sid, after)
    return { before, after, changed: true }
  }

  /** Restores the settings from before `bind`. With `force`, even if they have changed since. */
  async unbind(phoneNumber: string, { force = false } = {}): Promise<Change> {
    const number = await this.#find(phoneNumber)
    const { [number.sid]: known, ...others } = await this.#file.read()
    if (!known)
      throw new BridgeError(
        'CONFIG',
        `${this.#file.path} has no record of the number’s earlier settings; nothing was changed`,
      )
    const before = voiceSettingsOf(number)
    if (!force && !sameSettings(before, known.bound) && !sameSettings(before, known.before))
      throw new BridgeError(
        'CONFIG',
        `the number has changed since it was bound, to ${before.voiceUrl || 'another address'}; nothing was changed. Use force to restore it anyway`,
      )
    const changed = !sameSettings(before, known.before)
    if (changed) await this.#update(number.sid, known.before)
    await this.#file.write(others)
    return { before, after: known.before, changed }
  }

  async #find(phoneNumber: string) {
    const found = await answered(this.#client.incomingPhoneNumbers.list({ phoneNumber, limit: 2 }))
    const number = found.find(each => each.phoneNumber === phoneNumber)
    if (number) return number
    throw new BridgeError('CONFIG', 'the account has no such number: check the number and the credentials')
  }

  async #update(sid: string, settings: VoiceSettings): Promise<void> {
    await answered(this.#client.incomingPhoneNumbers(sid).update({ ...settings }))
  }
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw RestFailure.from(error)
  }
}
