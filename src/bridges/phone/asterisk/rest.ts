import { randomUUID } from 'node:crypto'
import { type CallOrder, type CarrierApi, CarrierError } from '../carrier.ts'
import { basicAuthorization } from '../credentials.ts'
import type { DialInput } from '../outbound/outbound-call-state.ts'
import { CarrierRest } from '../rest/carrier-rest.ts'
import { inputOf } from './dialect.ts'
import type { AriSettings } from './settings.ts'

/** Contexts of the dialplan that docs/channels/asterisk.md gives: one calls a phone, the other continues once it has answered. */
const DIAL_CONTEXT = 'dragoman-dial'
const CALLED_CONTEXT = 'dragoman-called'

/** `CarrierApi` on the Asterisk REST Interface (Asterisk: ARI, channels), with contexts of the dialplan. */
export class AsteriskCallsApi implements CarrierApi {
  readonly #rest: CarrierRest

  constructor({ apiUrl, user, password }: AriSettings) {
    this.#rest = new CarrierRest({
      title: 'Asterisk',
      base: `${apiUrl.replace(/\/+$/, '')}/ari/channels`,
      authorization: basicAuthorization(user, password),
      failure: status => ({ meaning: MEANINGS[status] }),
    })
  }

  /**
   * Originates a local channel: one end calls the phone, the other one continues as the call once the phone has answered.
   * The id is ours, so that the dialplan of both ends knows it.
   */
  async place(order: CallOrder): Promise<string> {
    const callId = `dragoman-${randomUUID()}`
    const query = new URLSearchParams({
      endpoint: `Local/${order.to}@${DIAL_CONTEXT}/n`,
      context: CALLED_CONTEXT,
      extension: 's',
      priority: '1',
      callerId: order.from,
      // The dialplan limits ringing; this only ends calls whose dialplan does not.
      timeout: String(order.ringSeconds + RING_MARGIN_SECONDS),
      channelId: callId,
    })
    await this.#rest.request('POST', `?${query}`, { variables: variablesOf(order, callId) })
    return callId
  }

  async hangUp(callId: string): Promise<void> {
    try {
      await this.#rest.request('DELETE', `/${callId}`)
    } catch (failure) {
      if (!(failure instanceof CarrierError) || failure.kind !== 'gone') throw failure
    }
  }

  async status(callId: string): Promise<DialInput | undefined> {
    try {
      const { state } = await this.#rest.request('GET', `/${callId}`)
      return inputOf(String(state))
    } catch (failure) {
      if (!(failure instanceof CarrierError) || failure.kind !== 'gone') throw failure
      return { type: 'final', status: 'completed' }
    }
  }
}

const RING_MARGIN_SECONDS = 10

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'a context or an extension of the dialplan is missing',
  401: 'the user or the password is wrong',
  403: 'the user is read-only',
  409: 'a channel of this id exists',
}

/** Variables of both ends of the local channel, for docs/channels/asterisk.md. */
function variablesOf(order: CallOrder, callId: string): Readonly<Record<string, string>> {
  const { from, to, answerUrl, statusUrl, machineUrl = '', ringSeconds, limitSeconds = 0 } = order
  return {
    DRAGOMAN_CALL: callId,
    DRAGOMAN_FROM: from,
    DRAGOMAN_TO: to,
    DRAGOMAN_ANSWER: answerUrl,
    DRAGOMAN_STATUS: statusUrl,
    DRAGOMAN_MACHINE: machineUrl,
    DRAGOMAN_RING: String(ringSeconds),
    DRAGOMAN_LIMIT: String(limitSeconds),
  }
}
