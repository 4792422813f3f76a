import { createRequire } from 'node:module'
import type { AxiosStatic } from 'axios'
import { Client } from 'plivo'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenPlivo } from '../../../simulator/index.ts'
import { PlivoCallsApi } from '../../../src/bridges/phone/plivo/rest.ts'
import { until } from '../../support/until.ts'

const { resolve } = createRequire(import.meta.url)
/** The same copy that Plivo’s client uses. */
const axios: AxiosStatic = createRequire(resolve('plivo'))('axios')
const NUMBERS = { numbers: { '+15005550001': {} } }
const CALLEE = '+34600111222'

/** The simulator, and Plivo’s own client, unmodified: only the host of its requests is replaced. */
async function open() {
  const plivo = await listenPlivo(NUMBERS)
  onTestFinished(() => plivo.close())
  const { adapter } = axios.defaults
  const send = axios.getAdapter(adapter ?? 'http')
  axios.defaults.adapter = config => {
    const { pathname, search } = new URL(config.url ?? '')
    return send({ ...config, url: plivo.url + pathname + search })
  }
  onTestFinished(() => {
    axios.defaults.adapter = adapter
  })
  const { accountSid: authId, authToken, url: apiUrl } = plivo
  return {
    plivo,
    client: new Client(authId, authToken),
    api: new PlivoCallsApi({ authId, authToken, apiUrl }),
  }
}

const ANSWER = 'https://bridge.example.com/plivo/dial/answer'
const REST = {
  answerMethod: 'POST',
  hangupUrl: 'https://bridge.example.com/plivo/dial/status',
  ringTimeout: 30,
}

describe('the REST API of the simulator', () => {
  test('serves Plivo’s own client', async () => {
    const { plivo, client } = await open()
    plivo.subscriber(CALLEE, { behavior: 'busy' })
    const { requestUuid } = await client.calls.create('15005550001', '34600111222', ANSWER, { ...REST })
    const uuid = String(requestUuid)
    expect(plivo.calls[0]).toMatchObject({ sid: uuid, parties: { from: '+15005550001', to: CALLEE } })
    expect(await client.calls.getLiveCall(uuid)).toMatchObject({ callUuid: uuid, to: '34600111222' })
    await until(() => plivo.calls[0]?.over, 5_000, 'the end')
    expect(await client.calls.get(uuid)).toMatchObject({
      hangupCauseCode: 3010,
      hangupCauseName: 'Busy Line',
    })
    await expect(client.calls.getLiveCall(uuid)).rejects.toThrow('not found')
  })

  test('hangs up for Plivo’s own client', async () => {
    const { plivo, client, api } = await open()
    plivo.subscriber(CALLEE, { behavior: 'no-answer' })
    const { requestUuid } = await client.calls.create('15005550001', '34600111222', ANSWER, { ...REST })
    await client.calls.hangup(String(requestUuid))
    expect(plivo.calls[0]?.status).toBe('canceled')
    expect(await api.status(String(requestUuid))).toEqual({ type: 'final', status: 'canceled' })
  })

  test.each([
    ['an invalid number', { to: '0' }, 400],
    ['a parameter that is not modeled', { caller_name: 'x' }, 400],
    ['a machine detection of 1 s', { machine_detection_time: 1_000 }, 400],
  ])('rejects %s', async (_, fault, status) => {
    const { plivo } = await open()
    const order = { from: '15005550001', to: '34600111222', answer_url: ANSWER, ...fault }
    const authorization = `Basic ${btoa(`${plivo.accountSid}:${plivo.authToken}`)}`
    const response = await fetch(`${plivo.url}/v1/Account/${plivo.accountSid}/Call/`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    expect([response.status, plivo.calls]).toEqual([status, []])
    expect(await response.json()).toMatchObject({ api_id: expect.any(String), error: expect.any(String) })
  })
})

describe('the client of the bridge', () => {
  const order = {
    ...{ to: CALLEE, from: '+15005550001', answerUrl: ANSWER, ringSeconds: 30 },
    statusUrl: 'https://bridge.example.com/plivo/dial/status',
  }

  test.each([
    ['busy', 'busy'],
    ['fails', 'failed'],
  ] as const)('reads the record of a call that %s', async (behavior, status) => {
    const { plivo, api } = await open()
    plivo.subscriber(CALLEE, { behavior })
    const call = await api.place(order)
    await until(() => plivo.calls[0]?.over, 5_000, 'the end')
    expect(await api.status(call)).toEqual({ type: 'final', status })
  })

  test('explains errors without the numbers in them', async () => {
    const { plivo, api } = await open()
    plivo.account.options.countries = ['US']
    const failure = await api.place(order).catch(error => error)
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('HTTP 403') })
    expect(failure.message).not.toContain('34600111222')
    const wrong = new PlivoCallsApi({ authId: plivo.accountSid, authToken: 'wrong', apiUrl: plivo.url })
    await expect(wrong.place(order)).rejects.toMatchObject({ kind: 'refused' })
    await expect(api.hangUp('unknown')).resolves.toBeUndefined()
  })

  test('retries only what was not executed', async () => {
    const { plivo, api } = await open()
    plivo.faults.next({ only: 'POST Calls', code: 20429 })
    await expect(api.place(order)).rejects.toMatchObject({ kind: 'later' })
    plivo.faults.next({ only: 'POST Calls', cut: 'after' })
    await expect(api.place(order)).rejects.toMatchObject({ kind: 'unsure' })
  })
})
