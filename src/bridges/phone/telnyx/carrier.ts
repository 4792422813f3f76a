import { systemWallClock, type WallClock } from '../../../common/wall-clock.ts'
import { rawCallForm } from '../markup/call-form.ts'
import { callXml } from '../markup/call-xml.ts'
import type { Carrier } from '../ports/carrier.ts'
import type { CarrierModule } from '../ports/carrier-module.ts'
import { TelnyxCallsApi } from './calls-api.ts'
import type { TelnyxSettings } from './settings.ts'
import { TelnyxVerifier } from './signature.ts'
import { telnyxMedia } from './wire.ts'

/** Attributes of `<Stream>` (Telnyx: TeXML Stream). Without `bidirectionalMode`, Telnyx expects MP3. */
const STREAM = { codec: 'PCMU', bidirectionalMode: 'rtp', bidirectionalCodec: 'PCMU' }

export interface TelnyxCarrierOptions {
  readonly publicKeys: readonly string[]
  /** Requests signed with the key pairs derived from these secrets are accepted too. */
  readonly ownKeys?: readonly string[]
  /** Maximum age of a signed request (s). */
  readonly toleranceSeconds?: number | undefined
  readonly wallClock?: WallClock
}

/** Telnyx with TeXML: Twilio’s markup and form fields, its own messages and signatures. */
export function telnyxCarrier(options: TelnyxCarrierOptions): Carrier {
  const { publicKeys, ownKeys = [], toleranceSeconds = 300, wallClock = systemWallClock } = options
  return {
    name: 'telnyx',
    title: 'Telnyx',
    media: telnyxMedia,
    instructions: callXml(STREAM),
    requests: rawCallForm,
    verifier: () => new TelnyxVerifier({ publicKeys, ownKeys, toleranceSeconds, wallClock }),
    secretStreams: true,
    // The key of the account is public, so prompts are signed with a secret of this process.
    secrets: [],
  }
}

/** Telnyx as a part of the server. */
export const telnyxModule: CarrierModule<TelnyxSettings> = {
  carrier: ({ publicKey, toleranceSeconds }, ownKeys) =>
    telnyxCarrier({ publicKeys: publicKey === undefined ? [] : [publicKey], ownKeys, toleranceSeconds }),
  api: ({ outbound }) => new TelnyxCallsApi(outbound!),
}
