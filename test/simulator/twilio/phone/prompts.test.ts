import { describe, expect, test } from 'vitest'
import { type CallOptions, Mp3Maker, placeCall, tone } from '../../../../src/simulator/index.ts'
import { encodeMulaw } from '../../../../src/transcode/g711.ts'
import { encodeWav } from '../../../../src/transcode/wav.ts'
import { type StandIn, type StandInOptions, standIn } from '../../../support/simulator/fake-bridge.ts'

/** Other work can keep this machine busy. */
const PATIENT = { timeout: 10_000 }
const DONE = '<Response><Hangup/></Response>'

function callTo(server: StandIn, options: Partial<CallOptions> = {}) {
  return placeCall({ webhook: server.webhook, allowInsecureStream: true, ...options })
}

/** Answers the first request with `verbs`, every other with a hang-up. */
function menu(verbs: string, options: StandInOptions = {}): Promise<StandIn> {
  const first = `<Response>${verbs}</Response>`
  return standIn({ twiml: (_, count) => (count === 1 ? first : DONE), ...options })
}

/** Loud milliseconds of the received audio. */
function loudMs(pcm: Int16Array): number {
  return pcm.filter(sample => Math.abs(sample) > 500).length / 8 / (2 / 3)
}

describe('<Gather>', () => {
  test('sends the digits to its action as soon as there are enough, after its prompts', async () => {
    await using server = await menu(
      '<Gather numDigits="2" action="/twilio/code?try=1"><Say language="es-ES">Código</Say></Gather>',
    )
    await using call = await callTo(server)
    expect(call.asking).toBe(true)
    expect(call.report().said).toEqual(['Código'])
    call.press('1')
    call.press('2')
    expect(await call.ended).toMatchObject({ kind: 'completed', reason: '<Hangup>' })
    expect(server.hooks[1]).toMatchObject({
      url: '/twilio/code?try=1',
      fields: { Digits: '12', CallStatus: 'in-progress', CallSid: call.callSid },
    })
    expect(call.asking).toBe(false)
  })

  test.each([
    ['the usual key', '', '305#', '305', '#'],
    ['its own key', 'finishOnKey="*"', '3#*', '3#', '*'],
  ])('ends with %s', async (_, attributes, keys, digits, key) => {
    await using server = await menu(`<Gather ${attributes} method="GET"/>`)
    await using call = await callTo(server)
    call.press(keys)
    await call.ended
    // Without an action the document itself is requested again.
    expect(server.hooks[1]?.url.split('?')[0]).toBe('/twilio/voice')
    expect(server.hooks[1]?.fields).toMatchObject({ Digits: digits, FinishedOnKey: key })
  })

  test('sends the pressed digits when no more follow', async () => {
    await using server = await menu('<Gather timeout="1" finishOnKey=""/>')
    await using call = await callTo(server)
    call.press('7')
    await call.ended
    expect(server.hooks[1]?.fields.Digits).toBe('7')
    expect(server.hooks[1]?.fields.FinishedOnKey).toBeUndefined()
  })

  test.each([
    ['continues with the next verb without a key', '', 1],
    ['or still requests its action if configured', 'actionOnEmptyResult="true"', 2],
  ])('%s', async (_, attribute, requests) => {
    await using server = await menu(`<Gather timeout="0" ${attribute}/><Say>Nobody</Say>`)
    await using call = await callTo(server)
    await call.ended
    expect(server.hooks).toHaveLength(requests)
    expect(call.report().said).toEqual(requests === 1 ? ['Nobody'] : [])
    if (requests === 2) expect(server.hooks[1]?.fields.Digits).toBe('')
  })

  test('stops the prompts at the first key', async () => {
    await using server = await menu(
      '<Gather numDigits="1"><Say>A</Say><Pause length="60"/><Say>B</Say></Gather>',
    )
    await using call = await callTo(server, { speak: () => tone(400, 60_000, 8000) })
    await expect.poll(() => loudMs(call.heard()), PATIENT).toBeGreaterThan(100)
    call.press('1')
    await call.ended
    expect(server.hooks[1]?.fields.Digits).toBe('1')
    expect(call.report().said).toEqual(['A'])
    expect(call.heard().length).toBeLessThan(60_000 * 8)
  })

  test('ends with the call, and with new instructions', async () => {
    await using server = await menu('<Gather timeout="60"/>')
    const hung = await callTo(server)
    expect(await hung.hangUp()).toMatchObject({ kind: 'hangup' })
    await using other = await standIn({ twiml: '<Response><Gather timeout="60"/></Response>' })
    const moved = await callTo(other)
    moved.update('<Response><Say>Moved</Say></Response>')
    await moved.ended
    expect(moved.report().said).toEqual(['Moved'])
    expect(other.hooks).toHaveLength(1)
  })

  test.each([
    ['input="speech"', 12200],
    ['finishOnKey="99"', 13310],
    ['numDigits="many"', 13314],
  ])('cannot be %s', async (attribute, code) => {
    await using server = await menu(`<Gather ${attribute}/>`)
    await using call = await callTo(server)
    await call.ended
    expect(call.report().errors).toMatchObject([{ code }])
  })
})

describe('<Play> and <Say>', () => {
  const pcm = tone(1000, 300, 8000)

  test.each(['wav', 'mp3', 'ulaw'] as const)('plays a local file: %s', async kind => {
    const mulaw = Buffer.alloc(pcm.length)
    encodeMulaw(pcm, mulaw)
    const maker = await Mp3Maker.create()
    const sounds = {
      wav: { type: 'audio/wav', bytes: encodeWav(pcm, 8000) },
      mp3: { type: 'audio/mpeg', bytes: maker.encode(tone(1000, 300)) },
      ulaw: { type: 'audio/ulaw; rate=8000', bytes: mulaw },
    }
    await using server = await menu(`<Play loop="2">/sounds/${kind}</Play>`, { sounds })
    await using call = await callTo(server)
    await call.ended
    expect(call.report().errors).toEqual([])
    expect(loudMs(call.heard())).toBeGreaterThan(500)
    expect(loudMs(call.heard())).toBeLessThan(750)
  })

  test.each([
    ['missing', 11200],
    ['text', 12300],
    ['broken', 12400],
  ])('reports a file that is %s, and the TwiML continues', async (name, code) => {
    const sounds = {
      text: { type: 'text/plain', bytes: Buffer.from('hello') },
      broken: { type: 'audio/wav', bytes: Buffer.from('hello') },
    }
    await using server = await menu(`<Play>/sounds/${name}</Play><Say>On</Say>`, { sounds })
    await using call = await callTo(server)
    await call.ended
    expect(call.report()).toMatchObject({ errors: [{ code }], said: ['On'] })
  })

  test('does not request or play a remote file', async () => {
    await using server = await menu('<Play>https://cdn.example.com/a.mp3</Play>')
    await using call = await callTo(server)
    await call.ended
    expect(call.report().errors).toEqual([])
    expect(loudMs(call.heard())).toBe(0)
  })

  test('a text takes its time and is played if there is a voice for it', async () => {
    await using server = await menu('<Say language="es-ES">Hola</Say>')
    const asked: unknown[] = []
    const speak = (...about: unknown[]) => {
      asked.push(about)
      return pcm
    }
    await using call = await callTo(server, { speak })
    await call.ended
    expect(asked).toEqual([['Hola', 'es-ES']])
    expect(loudMs(call.heard())).toBeGreaterThan(250)
    // Real timers can be a little early.
    expect(call.heard().length).toBeGreaterThan(pcm.length - 80)
  })
})

describe('calls placed by the bridge', () => {
  test('are answered from the start', async () => {
    await using server = await menu('<Hangup/>')
    let answered = 0
    await using call = await callTo(server, { outbound: true, onAnswered: () => answered++ })
    await call.ended
    expect(server.hooks[0]?.fields).toMatchObject({ Direction: 'outbound-api', CallStatus: 'in-progress' })
    expect(answered).toBe(1)
  })

  test('can bring their instructions, and be given others to fetch', async () => {
    await using server = await menu('<Say>Fetched</Say>')
    await using call = await callTo(server, { twiml: '<Response><Gather/></Response>' })
    expect(server.hooks).toHaveLength(0)
    call.redirect(server.webhook)
    await call.ended
    expect(call.report().said).toEqual(['Fetched'])
    expect(server.hooks[0]?.fields.CallStatus).toBe('in-progress')
  })

  test('are not answered by <Reject>', async () => {
    await using server = await menu('<Reject reason="busy"/>')
    let answered = 0
    await using call = await callTo(server, { onAnswered: () => answered++ })
    expect(await call.ended).toMatchObject({ kind: 'rejected', reason: 'busy' })
    expect(answered).toBe(0)
  })

  test('can be ended by the other side too', async () => {
    await using server = await menu('<Pause length="60"/>')
    const placing = callTo(server, { twiml: '<Response><Gather timeout="60"/></Response>' })
    const call = await placing
    expect(await call.end('time limit')).toMatchObject({ kind: 'completed', reason: 'time limit' })
  })
})

test('can request a document twice', async () => {
  await using server = await menu('<Hangup/>')
  await using call = await callTo(server, { quirks: { webhookTwice: true } })
  await call.ended
  expect(server.hooks).toHaveLength(2)
  const tokens = server.hooks.map(({ headers }) => headers['i-twilio-idempotency-token'])
  expect(tokens[0]).toBeTruthy()
  expect(tokens[0]).toBe(tokens[1])
})
