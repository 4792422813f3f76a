import { describe, expect, test } from 'vitest'
import type { LanguageEntry, ServiceErrorBody, VoiceEntry } from '../../../src/service/contract.ts'
import { fakeService } from '../../support/service/fake-service.ts'
import { KEY, realService } from '../../support/service/real-service.ts'

describe('with the installed engines', () => {
  const real = realService()
  const get = async <T>(path: string) => {
    const response = await fetch(`${real.url}${path}`, { headers: { 'x-api-key': KEY } })
    expect(response.status).toBe(200)
    return (await response.json()) as T
  }

  test('languages: exactly those that can be transcribed, translated and spoken', async () => {
    const languages = await get<LanguageEntry[]>('/api/languages')
    const english = languages.find(({ languageId }) => languageId === 'en-us')
    expect(english).toMatchObject({ name: 'English (United States)', transcription: true, synthesis: true })
    expect(english?.translation).toEqual(expect.arrayContaining(['es-es', 'es-mx', 'es-419']))
    const spanish = languages.find(({ languageId }) => languageId === 'es-es')
    expect(spanish).toMatchObject({ transcription: false, synthesis: true })
    expect(spanish?.translation).toContain('en-us')
    for (const { translation, languageId } of languages) expect(translation).not.toContain(languageId)
  })

  test.each([
    ['?language=es-es', ['es-es'], ['M', 'F']],
    ['?language=es-es&voiceGender=F', ['es-es'], ['F']],
    ['?language=ES-es&mode=block&voiceGender=M&voiceEngine=standard', ['es-es'], ['M']],
    ['?language=es-es&voiceEngine=neural&voiceEngine=standard&mode=streaming', ['es-es'], ['M', 'F']],
  ])('voices%s', async (filter, languages, genders) => {
    const voices = await get<VoiceEntry[]>(`/api/voices${filter}`)
    expect(new Set(voices.map(voice => voice.languageId))).toEqual(new Set(languages))
    expect(new Set(voices.map(voice => voice.voiceGender))).toEqual(new Set(genders))
  })

  test('voices: all without a filter, no neural ones, none for a language without voices', async () => {
    expect((await get<VoiceEntry[]>('/api/voices')).length).toBeGreaterThan(50)
    expect(await get('/api/voices?voiceEngine=neural')).toEqual([])
    expect(await get('/api/voices?language=xx-xx')).toEqual([])
  })
})

describe('rejections', () => {
  test.each([
    ['?mode=blocks', 'mode_not_supported', 'block, streaming'],
    ['?voiceGender=m', 'value_not_allowed', 'M, F'],
    ['?voiceEngine=neural&voiceEngine=golden', 'value_not_allowed', 'neural, standard'],
    ['?language=spanish', 'language_malformed', 'en-us'],
    ['?mode=block&mode=block', 'parameter_repeated', 'once'],
  ])('voices%s names the allowed values', async (filter, error, allowed) => {
    const { get } = await fakeService()
    const response = await get(`/api/voices${filter}`)
    expect(response.status).toBe(400)
    const body = (await response.json()) as ServiceErrorBody
    expect(body).toMatchObject({ code: 'bad_parameter', error })
    expect(body.description).toContain(allowed)
  })

  test.each(['', 'wrong', KEY.toUpperCase(), `${KEY} `.repeat(50)])('rejects key %j with 401', async key => {
    const { get } = await fakeService()
    for (const path of ['/api/languages', '/api/voices?mode=wrong']) {
      const response = await get(path, key)
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ code: 'unauthorized' })
    }
  })

  test('bytes that are not HTTP get an error in the same format', async () => {
    const { url } = await fakeService()
    const { connect } = await import('node:net')
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('this is not http\r\n\r\n')
    const parts: Buffer[] = []
    for await (const bytes of socket) parts.push(bytes as Buffer)
    expect(Buffer.concat(parts).toString()).toContain('"error":"request_malformed"')
  })
})

test('health needs no key and reveals no secret', async () => {
  const { get } = await fakeService()
  const text = await (await get('/health', '')).text()
  expect(JSON.parse(text)).toMatchObject({ status: 'ok', sessions: 0 })
  expect(text).not.toContain(KEY)
})
