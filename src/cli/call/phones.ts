import { readFile } from 'node:fs/promises'
import { PHONE_PROFILES, placeCall } from '../../../simulator/index.ts'
import { type CallPhone, LinePhone } from '../../../simulator/phone/line-phone.ts'
import type { Logger } from '../../common/log.ts'
import { CommandError } from '../errors.ts'

/** The dialplan of the documentation, which is part of the package. */
const DIALPLAN = new URL('../../../examples/asterisk/extensions.conf', import.meta.url)

export interface PhoneOptions {
  readonly carrier: string
  /** Address of the bridge. */
  readonly server: string
  /** Parameters of its webhooks. */
  readonly query: string
  /** Number to call. */
  readonly number?: string | undefined
  readonly authToken?: string | undefined
  /** Address for which requests are signed. */
  readonly publicUrl?: string | undefined
  /** Sample rate of streams (Hz), and address of the AudioSocket server. */
  readonly sampleRate?: number | undefined
  readonly audioAddress?: string | undefined
  /** Connection of streams at Asterisk. Default: AudioSocket. */
  readonly stream?: 'audiosocket' | 'websocket' | undefined
  readonly log: Logger
  readonly onMark: (now: number, name: string) => void
  /** `samples` of 8 kHz arrived, or were played, that are not just silence or comfort noise. */
  readonly onMedia: (now: number, samples: number) => void
}

/** Calls the bridge with a phone of the carrier. Settles when its stream is connected, or the call is over. */
export async function openPhone(options: PhoneOptions): Promise<CallPhone> {
  const { carrier, server, query, number, authToken, publicUrl, log, onMark, onMedia } = options
  const profile = PHONE_PROFILES[carrier]
  if (profile)
    return placeCall({
      ...{ webhook: `${server}/${carrier}/voice?${query}`, profile, allowInsecureStream: true },
      ...{ log, onMark, onMedia: (now, bytes, _payload, audible) => audible && onMedia(now, bytes) },
      ...(number ? { to: number } : {}),
      ...(authToken ? { authToken } : {}),
      ...(publicUrl ? { publicUrl } : {}),
    })
  if (authToken === undefined)
    throw new CommandError(
      `a phone of ${carrier} needs a secret: set it in dragoman.yaml, or with --auth-token`,
    )
  const line = {
    ...{ server, query, secret: authToken, onMark, onMedia },
    rate: options.sampleRate ?? 8_000,
    ...(number ? { to: number } : {}),
  }
  if (carrier === 'jambonz') return LinePhone.jambonz(line)
  if (carrier !== 'asterisk') throw new CommandError(`there is no simulated phone of ${carrier}`)
  const dialplan = await readFile(DIALPLAN, 'utf8')
  return LinePhone.asterisk({ ...line, dialplan, audioAddress: options.audioAddress ?? '127.0.0.1:9092' })
}
