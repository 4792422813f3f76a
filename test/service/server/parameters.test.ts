import { io, type Socket } from 'socket.io-client'
import { afterEach, expect, test } from 'vitest'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { query } from '../../support/service/test-client.ts'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect()
})

test.each([
  ['/api/voices?voiceengine=neural', 'did you mean voiceEngine?'],
  ['/api/voices?gender=F', 'did you mean voiceGender?'],
  ['/api/voices?languages=es-es', 'did you mean language?'],
  ['/api/voices?voiceEngine[kind]=neural', 'did you mean voiceEngine?'],
  ['/api/voices?Language=es-es', 'did you mean language?'],
  ['/api/voices?x=1', 'allowed: language, mode, voiceGender, voiceEngine'],
  ['/api/languages?language=es-es', 'no parameters'],
])('%s is an error that says what is right', async (path, hint) => {
  const { get } = await fakeService()
  const response = await get(path)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    code: 'bad_parameter',
    error: 'parameter_unknown',
    description: expect.stringContaining(hint),
  })
})

test('brackets mean repetition', async () => {
  const { get } = await fakeService()
  const list = async (search: string) => (await get(`/api/voices?${search}`)).json()
  const both = await list('voiceEngine=neural&voiceEngine=standard')
  expect(await list('voiceEngine[]=neural&voiceEngine[]=standard')).toEqual(both)
  expect(await list('voiceEngine[0]=neural&voiceEngine=standard')).toEqual(both)
  expect(await list('voiceEngine%5B%5D=neural')).toEqual(await list('voiceEngine=neural'))
  expect(await list('language[]=es-es')).toEqual(await list('language=es-es'))
  expect(await list('language[]=es-es&language=en-us')).toMatchObject({ error: 'parameter_repeated' })
  expect(await list('voiceGender[]=f')).toMatchObject({
    error: 'value_not_allowed',
    description: expect.stringContaining('M, F'),
  })
})

/** A connection to `/sts` with these parameters, by this transport. */
function outcome(url: string, parameters: Record<string, string>, transport = 'websocket') {
  const socket = io(`${url}/sts`, {
    transports: [transport],
    forceNew: true,
    reconnection: false,
    auth: { token: KEY },
    query: parameters,
  })
  sockets.push(socket)
  return new Promise<[string, unknown]>(resolve =>
    socket.onAny((name: string, payload: unknown) => {
      if (name === 'error' || name === 'start') resolve([name, payload])
    }),
  )
}

test.each([
  [{ voiceengine: 'neural' }, 'parameter_unknown', 'did you mean voiceEngine?'],
  [{ gender: 'F' }, 'parameter_unknown', 'did you mean voiceGender?'],
  [{ 'sendAudio[sampleRate]': '16000' }, 'parameter_unknown', 'sendAudio, a JSON object like {"sampleRate":'],
  [{ sampleRate: '8000' }, 'parameter_unknown', 'sendAudio, a JSON object'],
  [{ sendAudio: '{"samplerate":16000}' }, 'field_unknown', 'did you mean sampleRate?'],
])('the socket rejects %j', async (wrong, error, hint) => {
  const { url } = await fakeService()
  expect(await outcome(url, query(wrong))).toEqual([
    'error',
    { code: 'bad_parameter', error, description: expect.stringContaining(hint) },
  ])
})

test.each(['websocket', 'polling'])(
  'the socket accepts brackets and what libraries add: %s',
  async transport => {
    const { url } = await fakeService()
    const more = { 'voiceEngine[]': 'standard', b64: '1' }
    expect(await outcome(url, query(more), transport)).toEqual(['start', true])
  },
)
