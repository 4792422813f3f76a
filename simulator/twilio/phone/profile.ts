import type { FormFields } from './form-signature.ts'
import { signRequest } from './form-signature.ts'
import { type FromServer, twilioReader } from './server-message.ts'
import { parseTwiml, type Twiml, type TwimlOptions } from './twiml.ts'
import { newSid, type SidKind, type StreamIds, Wire } from './wire.ts'

/** Messages of a stream to the server. */
export interface PhoneWire extends Pick<Wire, 'start' | 'media' | 'dtmf' | 'mark' | 'unknown'> {
  /** Returns the message before `start`, or undefined if the carrier sends none. */
  connected(): string | undefined
  /** The last message; undefined: the socket just closes. */
  stop(): string | undefined
  /** Confirms that the queue was cleared, instead of its marks. Default: the marks return. */
  cleared?(): string
}

/** Reads the messages of one stream, strictly. Never throws. */
export interface PhoneReader {
  read(data: Uint8Array, isBinary: boolean): FromServer
}

/** A webhook that is about to be sent. */
export interface OutgoingWebhook {
  readonly url: string
  readonly fields: FormFields
  /** The encoded form; empty without one. */
  readonly body: string
}

/** The stream that a server’s instructions ask for. */
export interface StreamTarget {
  readonly url: string
  readonly attributes: ReadonlyMap<string, string>
}

/** The differences between carriers that call webhooks for instructions in XML, as Twilio does. */
export interface PhoneProfile {
  /** Name of the carrier, and of its routes at the bridge. */
  readonly name: string
  readonly webhookAgent: string
  readonly streamAgent: string
  newSid(kind: SidKind): string
  /** Reads an answer to a webhook, as strictly as the carrier. */
  instructions(text: string, options: TwimlOptions): Twiml
  /** Returns the fields of a webhook for those of Twilio’s. */
  fields(twilio: FormFields): FormFields
  /** The end of a call is reported to the webhook `status` only, because its streams have no last message. */
  readonly reportsEnd?: true
  /** Headers that authenticate a webhook with `key`. */
  webhookHeaders(key: string, webhook: OutgoingWebhook): Readonly<Record<string, string>>
  /** Headers that authenticate an upgrade; `key` is undefined for calls without one. */
  upgradeHeaders(key: string | undefined, stream: StreamTarget): Readonly<Record<string, string>>
  /** Returns why the carrier rejects a `<Stream>` with these attributes, or plays nothing; undefined: it does not. */
  streamFault(attributes: ReadonlyMap<string, string>): string | undefined
  wire(ids: StreamIds, attributes: ReadonlyMap<string, string>): PhoneWire
  reader(ids: StreamIds, attributes: ReadonlyMap<string, string>): PhoneReader
}

/** Twilio itself. */
export const twilioProfile: PhoneProfile = {
  name: 'twilio',
  webhookAgent: 'TwilioProxy/1.1',
  streamAgent: 'Twilio.TmeWs/1.0',
  newSid,
  instructions: parseTwiml,
  fields: fields => fields,
  webhookHeaders: (key, { url, fields }) => ({ 'x-twilio-signature': signRequest(key, url, fields) }),
  upgradeHeaders: (key, { url }): Readonly<Record<string, string>> =>
    key ? { 'x-twilio-signature': signRequest(key, url) } : {},
  streamFault: () => undefined,
  wire: ids => new Wire(ids),
  reader: ({ streamSid }) => twilioReader(streamSid),
}
