import { describe, expect, it } from 'vitest'
import { readXml } from '../../../../simulator/twilio/phone/twiml.ts'
import type { IncomingCall } from '../../../../src/bridges/phone/index.ts'
import type { TwilioBridgeOptions } from '../../../../src/bridges/phone/twilio/index.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { readWav } from '../../../../src/transcode/wav.ts'
import {
  AUTH_TOKEN,
  fieldsOf,
  Harness,
  PUBLIC_URL,
  resumeUrlIn,
  tokenIn,
  until,
} from '../../../support/phone/twilio-bridge-harness.ts'
import { FakeAnnouncer, noticeHz } from '../../../support/relay/fake-announcer.ts'

const HANG_UP = '<Response><Hangup/></Response>'
const CODE = '123456'

/** Asks for one of two languages, then for a room code. */
function invitation({ answers: { language, roomCode } }: IncomingCall) {
  if (!language) return { ask: 'language', languages: ['en-us', 'es-es'] } as const
  if (!roomCode) return { ask: 'room-code', language } as const
  if (roomCode !== CODE) return { ask: 'room-code', language, wrong: true } as const
  return { room: 'desk', speaks: language, hears: language }
}

async function open(options: Partial<TwilioBridgeOptions> = {}) {
  const announcer = new FakeAnnouncer()
  const invited: IncomingCall[] = []
  const invite = (call: IncomingCall) => {
    invited.push(call)
    return (options.invite ?? invitation)(call)
  }
  const bridge = await Harness.open({ announcer, ...options, invite })
  /** Presses keys at the menu opened by `twiml`; without keys, as after a timeout. */
  const press = async (twiml: string, digits?: string, callSid = 'CA1') => {
    const url = new URL(actionIn(twiml))
    const fields = {
      ...fieldsOf(callSid),
      CallStatus: 'in-progress',
      ...(digits === undefined ? {} : { Digits: digits }),
    }
    return (await bridge.post(url.pathname + url.search, fields)).body
  }
  const ring = async (path = '/twilio/voice', callSid = 'CA1') =>
    (await bridge.post(path, fieldsOf(callSid))).body
  return {
    bridge,
    announcer,
    invited,
    press,
    ring,
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  }
}

/** The target of the keys: the same address with and without keys. */
function actionIn(twiml: string): string {
  const root = readXml(twiml)
  if (typeof root === 'string') throw new Error(root)
  const [gather, redirect] = root.children
  expect([gather?.name, redirect?.name, redirect?.text]).toEqual([
    'Gather',
    'Redirect',
    gather?.attributes.get('action'),
  ])
  expect(gather?.attributes.get('input')).toBe('dtmf')
  return redirect?.text ?? ''
}

function soundsIn(twiml: string): string[] {
  return [...twiml.matchAll(/<Play>([^<]+)<\/Play>/g)].map(([, url]) => (url ?? '').replaceAll('&amp;', '&'))
}

/** The notices of `twiml`, determined by fetching its sounds. */
async function heard(bridge: Harness, twiml: string): Promise<string[]> {
  const names: string[] = []
  for (const address of soundsIn(twiml)) {
    const { pathname, search } = new URL(address)
    const reply = await bridge.app.inject(pathname + search)
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'audio/wav'])
    const { pcm, rate } = readWav(reply.rawPayload)
    expect(rate).toBe(8_000)
    const loud = (
      ['choose-language', 'enter-room-code', 'wrong-room-code', 'goodbye', 'line-full'] as const
    ).filter(name => loudness(pcm, noticeHz(name), rate) > 4_000)
    names.push(loud.join('+'))
  }
  return names
}

describe('a menu before a call', () => {
  it('offers each language in that language, then asks for the code, then admits', async () => {
    await using line = await open()
    const languages = await line.ring()
    expect(languages).toContain('numDigits="1"')
    expect(await heard(line.bridge, languages)).toEqual(['choose-language', 'choose-language'])
    expect(line.announcer.asked.slice(0, 2)).toEqual([
      'choose-language en-us key=1',
      'choose-language es-es key=2',
    ])
    const code = await line.press(languages, '2')
    expect(await heard(line.bridge, code)).toEqual(['enter-room-code'])
    expect(line.announcer.asked.at(-1)).toBe('enter-room-code es-es')
    const connect = await line.press(code, CODE)
    const party = await line.bridge.dial()
    party.start({ callSid: 'CA1', token: tokenIn(connect) })
    const { invitation: seen } = await until(() => line.bridge.relay.admitted[0])
    expect(seen).toEqual({ room: 'desk', speaks: 'es-es', hears: 'es-es' })
  })

  it('reports a wrong code, and says goodbye after three attempts', async () => {
    await using line = await open()
    let twiml = await line.press(await line.ring(), '1')
    for (let times = 0; times < 2; times++) {
      twiml = await line.press(twiml, '999999')
      expect(await heard(line.bridge, twiml)).toEqual(['wrong-room-code', 'enter-room-code'])
    }
    twiml = await line.press(twiml, '999999')
    expect(await heard(line.bridge, twiml)).toEqual(['wrong-room-code', 'goodbye'])
    expect(twiml).toContain('<Hangup/>')
  })

  it('asks again when no key is pressed, and says goodbye after three attempts', async () => {
    await using line = await open()
    let twiml = await line.ring()
    for (const keys of [undefined, '', '7']) {
      expect(await heard(line.bridge, twiml)).toEqual(['choose-language', 'choose-language'])
      twiml = await line.press(twiml, keys)
    }
    expect(await heard(line.bridge, twiml)).toEqual(['goodbye'])
    expect(twiml).toContain('<Hangup/>')
  })

  it.each(['12', '1234567890123', '*12345', '１２３４５６', '123 456'])(
    'does not look up an invalid code: %s',
    async digits => {
      await using line = await open()
      const code = await line.press(await line.ring(), '1')
      expect(await heard(line.bridge, await line.press(code, digits))).toEqual([
        'wrong-room-code',
        'enter-room-code',
      ])
      expect(line.invited.some(({ answers }) => answers.roomCode !== undefined)).toBe(false)
    },
  )

  it('counts a redelivered answer once', async () => {
    await using line = await open()
    const code = await line.press(await line.ring(), '1')
    const asked = () => line.invited.filter(({ answers }) => answers.roomCode !== undefined).length
    const first = await line.press(code, '999999')
    expect(await line.press(code, '999999')).toBe(first)
    expect(asked()).toBe(1)
    const connect = await line.press(first, CODE)
    expect(await line.press(first, CODE)).toBe(connect)
    expect(asked()).toBe(2)
  })

  it('keeps calls separate', async () => {
    await using line = await open()
    const one = await line.press(await line.ring('/twilio/voice', 'CA1'), '1', 'CA1')
    const two = await line.press(await line.ring('/twilio/voice', 'CA2'), '2', 'CA2')
    await line.press(one, CODE, 'CA1')
    await line.press(two, CODE, 'CA2')
    const decided = line.invited
      .filter(({ answers }) => answers.roomCode)
      .map(({ callId, answers }) => [callId, answers.language])
    expect(decided).toEqual([
      ['CA1', 'en-us'],
      ['CA2', 'es-es'],
    ])
  })

  it('preserves the query of the number’s address, and does not ask twice after a restart', async () => {
    await using line = await open({
      invite: ({ answers: { language }, query }) =>
        language
          ? { room: query.room ?? '', hears: language }
          : { ask: 'language', languages: ['en-us', 'es-es'] },
    })
    const connect = await line.press(await line.ring('/twilio/voice?room=7'), '2')
    const resume = new URL(resumeUrlIn(connect))
    expect(resume.searchParams.get('room')).toBe('7')
    expect([...resume.searchParams.keys()].some(name => /try|ask/.test(name))).toBe(false)
    await using after = await open({
      invite: ({ answers: { language } }) => ({ room: 'r', hears: language ?? '' }),
    })
    await after.bridge.post(resume.pathname + resume.search, {
      ...fieldsOf('CA1'),
      CallStatus: 'in-progress',
    })
    expect(after.invited[0]?.answers).toEqual({ language: 'es-es' })
  })

  it('never puts a code into an address', async () => {
    await using line = await open()
    const connect = await line.press(await line.press(await line.ring(), '1'), CODE)
    expect(connect).not.toContain(CODE)
  })

  it('rejects unsigned requests, and takes only keys as the caller’s answer', async () => {
    await using line = await open()
    const url = new URL(actionIn(await line.ring()))
    const path = url.pathname + url.search
    expect((await line.bridge.post(path, { ...fieldsOf('CA1'), Digits: '1' }, 'forged')).status).toBe(403)
    const { body } = await line.bridge.post('/twilio/voice', {
      ...fieldsOf('CA2'),
      'dragoman-language': 'es-es',
      'dragoman-ask': 'room-code',
    })
    expect(await heard(line.bridge, body)).toEqual(['choose-language', 'choose-language'])
  })

  it('ends with the call', async () => {
    await using line = await open()
    const code = await line.press(await line.ring(), '1')
    const connect = await line.press(code, CODE)
    const party = await line.bridge.dial()
    party.start({ callSid: 'CA1', token: tokenIn(connect) })
    const { leg } = await until(() => line.bridge.relay.admitted[0])
    await leg.close({ kind: 'hangup', by: 'local' })
    expect(await line.press(code, CODE)).toContain(HANG_UP)
  })

  it('tells rejected callers the reason, with the announcer’s notice', async () => {
    await using line = await open({
      invite: () => ({ refused: 'busy', notice: { notice: 'line-full', language: 'es-es' } }),
    })
    const twiml = await line.ring()
    expect(await heard(line.bridge, twiml)).toEqual(['line-full'])
    expect(twiml).toContain('<Hangup/>')
  })

  it('is unavailable without an announcer: the caller hears an apology', async () => {
    await using bridge = await Harness.open({ invite: invitation })
    expect((await bridge.post('/twilio/voice', fieldsOf('CA1'))).body).toMatch(/<Say .*<Hangup\/>/)
    expect(bridge.log.complaints).toEqual([expect.stringContaining('no announcer')])
  })
})

describe('the sounds of a menu', () => {
  it('are served only for signed addresses', async () => {
    await using line = await open()
    const { pathname, search } = new URL(soundsIn(await line.ring())[1] ?? '')
    const status = async (url: string) => (await line.bridge.app.inject(url)).statusCode
    expect(await status(pathname + search)).toBe(200)
    const asked = line.announcer.asked.length
    for (const [was, is] of [
      ['es-es', 'fr-fr'],
      ['choose-language', 'goodbye'],
      ['key=2', 'key=3'],
      ['/sound/', '/sound/A'],
      ['es-es', '..%2fes'],
    ] as const)
      expect(await status((pathname + search).replace(was, is))).toBe(404)
    expect(await status(pathname)).toBe(404)
    expect(line.announcer.asked.length).toBe(asked)
  })

  it('can be served by any instance with the same auth token', async () => {
    await using one = await open()
    await using other = await open({ authTokens: ['new', AUTH_TOKEN] })
    expect(await heard(other.bridge, await one.ring())).toEqual(['choose-language', 'choose-language'])
  })

  it('are cacheable by Twilio, except tones played instead of a voice', async () => {
    await using line = await open()
    const [address = ''] = soundsIn(await line.ring())
    const url = address.replace(PUBLIC_URL, '')
    expect((await line.bridge.app.inject(url)).headers['cache-control']).toContain('max-age')
    line.announcer.notice = async () => ({ name: 'tone beep', pcm: new Int16Array(320) })
    expect((await line.bridge.app.inject(url)).headers['cache-control']).toBe('no-store')
  })
})
