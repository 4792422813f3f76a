import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Twilio } from 'twilio'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenSignalwire } from '../../../../simulator/index.ts'
import { BindingFile, boundSettings, Numbers } from '../../../../src/bridges/phone/rest/numbers.ts'
import { signalwireNumbers } from '../../../../src/bridges/phone/signalwire/rest.ts'
import { twilioNumbers } from '../../../../src/bridges/phone/twilio/rest.ts'

const NUMBER = '+15550001111'
const URL_1 = 'https://one.example.com'
const URL_2 = 'https://two.example.com'

/** An account whose number had other settings before. */
function account() {
  const number: Record<string, unknown> = {
    sid: 'PN1',
    phoneNumber: NUMBER,
    friendlyName: 'front desk',
    voiceUrl: 'https://old.example.com/voice',
    voiceMethod: 'GET',
    voiceFallbackUrl: null,
    voiceFallbackMethod: 'POST',
    statusCallback: null,
    statusCallbackMethod: 'POST',
    voiceApplicationSid: 'AP1',
    trunkSid: null,
  }
  const failure: { next?: object; ofUpdate?: object } = {}
  let updates = 0
  const answer = <T>(value: T) => {
    const { next } = failure
    delete failure.next
    return next ? Promise.reject(next) : Promise.resolve(value)
  }
  const one = (sid: string) => ({
    async update(fields: object) {
      if (failure.ofUpdate) throw failure.ofUpdate
      await answer(sid)
      updates++
      Object.assign(number, fields)
    },
  })
  const list = ({ phoneNumber }: { phoneNumber: string }) =>
    answer(phoneNumber === NUMBER ? [{ ...number }] : [])
  const incomingPhoneNumbers = Object.assign(one, { list })
  const api = twilioNumbers({ incomingPhoneNumbers } as unknown as Twilio)
  return { number, failure, api, updates: () => updates }
}

let folder: string
let file: BindingFile
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'numbers-'))
  file = new BindingFile(join(folder, 'bindings.json'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('a number of SignalWire', () => {
  it('points here once bound, and back once unbound', async () => {
    const before = { VoiceUrl: 'https://old.example.com/voice', VoiceMethod: 'GET' }
    await using simulator = await listenSignalwire({ numbers: { [NUMBER]: before } })
    const { url: apiUrl, accountSid: projectId, authToken: apiToken } = simulator
    const api = signalwireNumbers({ space: 'example.signalwire.com', projectId, apiToken, apiUrl })
    const numbers = new Numbers({ api, file })
    const { sid, settings } = (await api.find(NUMBER))!
    expect(sid).toMatch(/^[0-9a-f]{8}-/)
    const bound = boundSettings(URL_1, 'signalwire')
    expect(bound.voiceUrl).toBe('https://one.example.com/signalwire/voice')
    expect(await numbers.bind(NUMBER, URL_1)).toEqual({ before: settings, after: bound, changed: true })
    expect(await api.find(NUMBER)).toEqual({ sid, settings: bound })
    expect(await numbers.unbind(NUMBER)).toEqual({ before: bound, after: settings, changed: true })
    expect((await api.find(NUMBER))?.settings).toMatchObject({
      ...{ voiceUrl: before.VoiceUrl, voiceMethod: 'GET', voiceApplicationSid: '' },
    })
    expect(await api.find('+15550009999')).toBeUndefined()
  })

  it('cannot be changed with a wrong token', async () => {
    await using simulator = await listenSignalwire({ numbers: { [NUMBER]: {} } })
    const { url: apiUrl, accountSid: projectId } = simulator
    const access = { space: 'example.signalwire.com', projectId, apiToken: 'wrong', apiUrl }
    const numbers = new Numbers({ api: signalwireNumbers(access), file })
    await expect(numbers.bind(NUMBER, URL_1)).rejects.toMatchObject({ code: 'DIAL_FAILED' })
    await expect(readFile(file.path)).rejects.toThrow('ENOENT')
  })
})

describe('a number', () => {
  it('points here once bound, and back to its earlier settings once unbound', async () => {
    const { number, api } = account()
    const before = { ...number }
    const numbers = new Numbers({ api, file })
    const { changed, after } = await numbers.bind(NUMBER, URL_1)
    expect(changed).toBe(true)
    expect(after).toEqual(boundSettings(URL_1, 'twilio'))
    expect(number).toMatchObject({
      voiceUrl: 'https://one.example.com/twilio/voice',
      voiceMethod: 'POST',
      statusCallback: 'https://one.example.com/twilio/status',
      voiceApplicationSid: '',
      friendlyName: 'front desk',
    })
    expect((await numbers.unbind(NUMBER)).changed).toBe(true)
    for (const [field, value] of Object.entries(before)) expect(number[field]).toBe(value ?? '')
    expect(await file.read()).toEqual({})
  })

  it('keeps the original settings through a change of address', async () => {
    const { number, api } = account()
    const numbers = new Numbers({ api, file })
    await numbers.bind(NUMBER, URL_1)
    await numbers.bind(NUMBER, URL_2)
    expect(number.voiceUrl).toBe(`${URL_2}/twilio/voice`)
    await numbers.unbind(NUMBER)
    expect(number.voiceUrl).toBe('https://old.example.com/voice')
  })

  it('bound twice is changed once', async () => {
    const { api, updates } = account()
    const numbers = new Numbers({ api, file })
    await numbers.bind(NUMBER, URL_1)
    expect((await numbers.bind(NUMBER, URL_1)).changed).toBe(false)
    expect(updates()).toBe(1)
  })

  it('that points here already is not bound without a record of its earlier settings', async () => {
    const { number, api } = account()
    Object.assign(number, boundSettings(URL_1, 'twilio'))
    await expect(new Numbers({ api, file }).bind(NUMBER, URL_1)).rejects.toThrow('has no record')
  })

  it('changed in the meantime stays unchanged unless forced', async () => {
    const { number, api } = account()
    const numbers = new Numbers({ api, file })
    await numbers.bind(NUMBER, URL_1)
    number.voiceUrl = 'https://other.example.com'
    await expect(numbers.unbind(NUMBER)).rejects.toMatchObject({ code: 'CONFIG' })
    expect(number.voiceUrl).toBe('https://other.example.com')
    await numbers.unbind(NUMBER, { force: true })
    expect(number.voiceUrl).toBe('https://old.example.com/voice')
  })

  it('bound again after such a change is restored to that change', async () => {
    const { number, api } = account()
    const numbers = new Numbers({ api, file })
    await numbers.bind(NUMBER, URL_1)
    number.voiceUrl = 'https://other.example.com'
    await numbers.bind(NUMBER, URL_1)
    await numbers.unbind(NUMBER)
    expect(number.voiceUrl).toBe('https://other.example.com')
  })

  it('can be bound again after a failure of Twilio halfway', async () => {
    const { number, api, failure } = account()
    const numbers = new Numbers({ api, file })
    failure.ofUpdate = { status: 500, code: 20500 }
    await expect(numbers.bind(NUMBER, URL_1)).rejects.toMatchObject({ code: 'DIAL_FAILED' })
    expect(number.voiceUrl).toBe('https://old.example.com/voice')
    delete failure.ofUpdate
    await numbers.bind(NUMBER, URL_1)
    await numbers.unbind(NUMBER)
    expect(number.voiceUrl).toBe('https://old.example.com/voice')
  })

  it('of another account, or never bound, is reported', async () => {
    const { api, failure } = account()
    const numbers = new Numbers({ api, file })
    await expect(numbers.bind('+15550002222', URL_1)).rejects.toThrow('no such number')
    await expect(numbers.unbind(NUMBER)).rejects.toThrow('has no record')
    failure.next = { status: 401, code: 20003 }
    await expect(numbers.bind(NUMBER, URL_1)).rejects.toThrow('the credentials are wrong')
  })
})

describe('the file of bindings', () => {
  it('is readable only by its owner', async () => {
    await file.write({})
    expect((await stat(file.path)).mode & 0o777).toBe(0o600)
  })

  it.each(['', 'nonsense', '[]', '{"PN1":{}}'])('is never overwritten when it holds %j', async text => {
    await writeFile(file.path, text)
    const { api } = account()
    await expect(new Numbers({ api, file }).bind(NUMBER, URL_1)).rejects.toMatchObject({ code: 'CONFIG' })
    expect(await readFile(file.path, 'utf8')).toBe(text)
  })
})
