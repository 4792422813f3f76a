import twilio, { type Twilio } from 'twilio'
import { TwilioSimulator, type TwilioSimulatorOptions, twilioClientFor } from '../../../simulator/index.ts'
import { type StandIn, type StandInOptions, standIn } from './fake-bridge.ts'

export const PUBLIC = 'https://bridge.example.com'
export const OWN = '+15005550001'
export const ANA = '+34600111222'
/** The minimum that an order needs. */
export const ORDER = { to: ANA, from: OWN, url: `${PUBLIC}/twilio/answer` }
/** Other work can keep this machine busy. */
export const PATIENT = { timeout: 10_000 }

export interface Rest extends AsyncDisposable {
  readonly rest: TwilioSimulator
  readonly client: Twilio
  /** Plays the bridge. */
  readonly bridge: StandIn
  /** The verdict of Twilio's library on the signature of every request to the bridge. */
  verdicts(): boolean[]
}

/** An account of the simulator, its client, and a server that answers webhooks as `https://bridge.example.com`. */
export async function account(
  options: TwilioSimulatorOptions = {},
  bridgeOptions: StandInOptions = {},
): Promise<Rest> {
  const rest = await TwilioSimulator.listen({ allowInsecureStream: true, ...options })
  const bridge = await standIn(bridgeOptions)
  rest.route(PUBLIC, `http://127.0.0.1:${bridge.port}`)
  return {
    rest,
    client: await twilioClientFor(rest),
    bridge,
    verdicts: () =>
      bridge.hooks.map(({ headers, url, fields }) =>
        twilio.validateRequest(
          rest.authToken,
          String(headers['x-twilio-signature']),
          PUBLIC + url,
          // A GET has its fields in the URL, which is signed completely.
          headers['content-type'] === undefined ? {} : withoutQuery(url, fields),
        ),
      ),
    async [Symbol.asyncDispose]() {
      await rest.close()
      await bridge[Symbol.asyncDispose]()
    },
  }
}

/** Only the fields of the body. */
function withoutQuery(url: string, fields: Record<string, string>): Record<string, string> {
  const query = new URL(url, PUBLIC).searchParams
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !query.has(name)))
}
