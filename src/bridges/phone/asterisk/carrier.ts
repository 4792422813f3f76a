import { BridgeError } from '../../../common/errors.ts'
import type { Carrier } from '../ports/carrier.ts'
import type { CarrierModule } from '../ports/carrier-module.ts'
import { AudioServer, type AudioServerSettings } from './audio-server.ts'
import { AsteriskCallsApi } from './calls-api.ts'
import { asteriskWebSocketMedia } from './chan-websocket.ts'
import { type AsteriskStream, asteriskInstructions } from './dialplan.ts'
import { AsteriskVerifier, asteriskRequests } from './requests.ts'
import { type AsteriskSettings, secretsOf } from './settings.ts'
import { type AsteriskRate, asteriskMedia, ExpectedStreams } from './wire.ts'

export interface AsteriskCarrierOptions {
  /** Passwords of the dialplan; several during rotation. */
  readonly secrets: readonly string[]
  /** Sample rate of streams (Hz). Default 8000. */
  readonly sampleRate?: AsteriskRate | undefined
  /** Connection of streams. Default `audiosocket`. */
  readonly stream?: AsteriskStream | undefined
  /** Default: port 9092 of this machine, for itself. */
  readonly audioSocket?: Partial<AudioServerSettings> | undefined
  /** Called with the port of the AudioSocket server. */
  readonly onPort?: ((port: number) => void) | undefined
}

const AUDIO_SERVER: AudioServerSettings = {
  host: '127.0.0.1',
  port: 9_092,
  allowedAddresses: ['loopback'],
  maxConnections: 1_000,
}

/** An Asterisk, with the secrets of its dialplan. */
export function asteriskCarrier(options: AsteriskCarrierOptions): Carrier {
  const { secrets, sampleRate = 8_000, stream = 'audiosocket', audioSocket, onPort } = options
  const expected = new ExpectedStreams()
  return {
    name: 'asterisk',
    title: 'Asterisk',
    media: (stream === 'websocket' ? asteriskWebSocketMedia : asteriskMedia)(sampleRate, expected),
    instructions: asteriskInstructions(expected, stream),
    requests: asteriskRequests,
    ...(stream === 'websocket'
      ? {}
      : {
          listen: async (accept, log) => {
            const server = await AudioServer.listen({ ...AUDIO_SERVER, ...audioSocket }, accept, log)
            onPort?.(server.port)
            return server
          },
        }),
    verifier: () => {
      if (secrets.length === 0 || secrets.some(each => each === ''))
        throw new BridgeError(
          'CONFIG',
          'the Asterisk bridge needs a secret; set insecure: true to run without one',
        )
      return new AsteriskVerifier(secrets, stream)
    },
    secrets,
  }
}

/** Asterisk as a part of the server. */
export const asteriskModule: CarrierModule<AsteriskSettings> = {
  // The first secret stays first, because other instances sign with it.
  carrier: (settings, ownKeys) =>
    asteriskCarrier({
      secrets: [...secretsOf(settings), ...ownKeys],
      sampleRate: settings.sampleRate,
      stream: settings.stream,
      audioSocket: settings.audioSocket,
    }),
  api: ({ outbound }) => new AsteriskCallsApi(outbound!),
}
