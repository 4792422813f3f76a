import type { Twilio } from 'twilio'
import { BridgeError } from '../../../core/errors.ts'
import { RestFailure } from '../dial/rest-failure.ts'
import type { BindingFile } from './binding-file.ts'
import { boundSettings, sameSettings, type VoiceSettings, voiceSettingsOf } from './voice-settings.ts'

/** What binding or unbinding did to a number. */
export interface Change {
  readonly before: VoiceSettings
  readonly after: VoiceSettings
  /** False when it was so already. */
  readonly changed: boolean
}

export interface NumbersOptions {
  readonly client: Pick<Twilio, 'incomingPhoneNumbers'>
  /** Keeps what the numbers were before. */
  readonly file: BindingFile
}

/**
 * The account's telephone numbers: points their calls at this bridge and puts back what was there. Everything rejects
 * with `BridgeError`: `CONFIG` for what the person can mend, `DIAL_FAILED` for what Twilio says.
 */
export class Numbers {
  readonly #client: NumbersOptions['client']
  readonly #file: BindingFile

  constructor({ client, file }: NumbersOptions) {
    this.#client = client
    this.#file = file
  }

  /**
   * Calls of `phoneNumber` (E.164) go to the bridge at `publicUrl` from now on. Bound again, to another address, it
   * still remembers what was there at first.
   */
  async bind(phoneNumber: string, publicUrl: string): Promise<Change> {
    const number = await this.#find(phoneNumber)
    const bindings = await this.#file.read()
    const before = voiceSettingsOf(number)
    const after = boundSettings(publicUrl)
    const known = bindings[number.sid]
    // Settings that somebody made since are what is to be restored; our own are not.
    const original = known && sameSettings(known.bound, before) ? known.before : before
    if (sameSettings(before, after) && !known)
      throw new BridgeError(
        'CONFIG',
        `the number points here already, and ${this.#file.path} does not know what was there before`,
      )
    // Written first: a number that is bound and cannot be put back would be worse than a note too many.
    await this.#file.write({ ...bindings, [number.sid]: { before: original, bound: after } })
    if (sameSettings(before, after)) return { before, after, changed: false }
    await this.#update(number.sid, after)
    return { before, after, changed: true }
  }

  /** Puts back what was there before `bind`. With `force` also if somebody changed it in the meantime. */
  async unbind(phoneNumber: string, { force = false } = {}): Promise<Change> {
    const number = await this.#find(phoneNumber)
    const { [number.sid]: known, ...others } = await this.#file.read()
    if (!known)
      throw new BridgeError('CONFIG', `${this.#file.path} does not know what the number was before: it stays`)
    const before = voiceSettingsOf(number)
    if (!force && !sameSettings(before, known.bound) && !sameSettings(before, known.before))
      throw new BridgeError(
        'CONFIG',
        `the number was changed since it was bound, to ${before.voiceUrl || 'another place'}: it stays, unless forced`,
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
    throw new BridgeError('CONFIG', 'the account has no such number: check it, and whose credentials are set')
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
