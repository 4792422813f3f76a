import type { EncryptionMode } from './encryption.ts'
import type { VoiceCall } from './voice-call.ts'

export interface VoiceServerOptions {
  /** The modes offered, in this order. Default both, GCM first. */
  encryption?: readonly EncryptionMode[]
  /** Calls begin with DAVE. Default true. */
  dave?: boolean
  /** Of op 8. Default 13 750. */
  heartbeatMs?: number
}

/** One voice server on loopback: a voice gateway over TLS and a UDP socket for media. Whoever listens closes it. */
export class VoiceServer implements AsyncDisposable {
  /** `localhost:<port>`, as VOICE_SERVER_UPDATE carries it. */
  readonly endpoint: string = ''
  /** Its self-signed certificate (PEM); see `trust`. */
  readonly certificate: string = ''

  /** Listens on loopback, on ports that the system chooses. */
  static listen(_options: VoiceServerOptions = {}): Promise<VoiceServer> {
    return Promise.resolve(new VoiceServer())
  }

  /** The call of this voice channel: the same one until it is closed. */
  openCall(_guildId: string, _channelId: string): VoiceCall {
    throw new Error('not built yet')
  }

  /** Ends every call and closes both sockets. Idempotent. */
  close(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
