import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { signRequest } from '../../simulator/index.ts'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import {
  CALLEE,
  CALLER,
  DESK,
  DIAL,
  exchange,
  NUMBER,
  PUBLIC,
  say,
  translationsHeard,
  VOICE,
} from '../support/e2e/two-party-harness.ts'
import { CanaryLog, filesIn, hitsIn } from '../support/security/canary-log.ts'
import { until } from '../support/until.ts'
import { Receiving } from '../support/web/webhook-receiver.ts'

/** Values that must not appear anywhere, each unique. */
const CANARY = {
  caller: CALLER.slice(1),
  callee: CALLEE.slice(1),
  stranger: '34698765012',
  said: 'heliotrope marmalade at seventeen',
  translated: 'mermelada de heliotropo a las diecisiete',
  announced: 'the quixotic zeppelin departs',
  controlKey: 'canary-control-key-8d1f0a7c5b3e',
  serviceKey: 'canary-service-key-91b2c3d4e5f6',
  webhookSecret: 'canary-webhook-secret-77aa88bb',
  authToken: '0badcafe0badcafe0badcafe0badcafe',
  wrongKey: 'canary-wrong-key-that-was-tried',
  wrongSignature: 'Q2FuYXJ5U2lnbmF0dXJlQUFBQUE=',
  rememberKey: 'canary-remember-key-424242',
  callerName: 'Heloise Canarybird',
  visitor: 'Peregrine of the Talkpage',
  wrongLink: 'canary-link-that-was-tried-123',
  roomCode: '739518264077',
}
/** An mp3 result and the audio of a phone are never this short; a log of one would contain more. */
const AUDIO = /[A-Za-z0-9+/]{120,}/

let folder: string
const realTmp = process.env.TMPDIR

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'canary-'))
  process.env.TMPDIR = folder
})
afterAll(() => {
  if (realTmp === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = realTmp
  rmSync(folder, { recursive: true })
})

test('no part of a call, a key or a token appears in logs, metrics, errors or files, even after failures', async () => {
  const kept = new CanaryLog()
  const receiving = await Receiving.open()
  const refusals: string[] = []
  const tokens: Record<string, string> = {}
  const x = await exchange({
    number: { ...NUMBER, name: CANARY.callerName, dial: { ...DIAL, name: CANARY.callerName } },
    twilio: { authToken: CANARY.authToken },
    service: {
      apiKey: CANARY.serviceKey,
      // Every text of the service is a canary.
      faults: { mangle: result => ({ ...result, text: CANARY.said, translation: CANARY.translated }) },
    },
    config: {
      control: { keys: [{ name: 'desk', key: CANARY.controlKey }] },
      webhooks: [
        {
          url: `${receiving.url}?k=${CANARY.webhookSecret}`,
          secret: CANARY.webhookSecret,
          includeTexts: true,
        },
      ],
      calls: {
        roomCodes: { [CANARY.roomCode]: 'desk' },
        callerLanguages: { key: CANARY.rememberKey },
      },
    },
    parts: { log: kept.log },
  })
  const address = x.app.server.server.address()
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const ask = async (method: string, path: string, body?: unknown, key: string = CANARY.controlKey) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) refusals.push(text)
    return { status: response.status, text }
  }

  const { caller, callee } = await x.connected()
  await Promise.all([say(caller, VOICE.caller, 1_200), say(callee, VOICE.callee, 1_200)])
  await translationsHeard(x, 2)
  const room = [...x.app.relay.rooms.keys()][0]!

  // Through the control API, valid and invalid requests.
  const link = JSON.parse((await ask('POST', `/v1/rooms/${room}/captions/link`)).text) as { token: string }
  tokens.link = link.token
  const captions = await fetch(`${base}/v1/rooms/${room}/captions?token=${link.token}`)
  await captions.body?.cancel()
  await ask('POST', `/v1/rooms/${room}/say`, { text: CANARY.announced, language: 'en-us' })
  await ask('GET', `/v1/rooms/${room}/transcript?format=srt`)
  for (const to of [
    `+${CANARY.stranger}`,
    `+1900${CANARY.stranger}`,
    CANARY.stranger,
    `sip:${CANARY.stranger}@evil.example`,
  ])
    await ask('POST', `/v1/rooms/${room}/calls`, { to, speaks: 'es-es', hears: 'xx' })
  await ask('POST', '/v1/rooms', `{"name": "${CANARY.announced}"`)
  await ask('POST', '/v1/rooms', { field: CANARY.announced })
  await ask('GET', '/v1/rooms', undefined, CANARY.wrongKey)
  await ask('GET', `/v1/rooms?key=${CANARY.wrongKey}`, undefined, CANARY.wrongKey)
  await ask('GET', `/v1/rooms/${room}/captions?token=${tokens.link}x`, undefined, CANARY.wrongKey)
  await ask('GET', `/nowhere/else`)

  // Through Twilio's webhooks: forged, and about calls and tokens of others.
  const fields = {
    CallSid: 'CA00000000000000000000000000000099',
    From: `+${CANARY.stranger}`,
    To: DESK,
    CallerName: CANARY.said,
    SpeechResult: CANARY.said,
    Digits: CANARY.roomCode,
  }
  const hook = async (name: string, signature: string) => {
    const response = await fetch(`${base}/twilio/${name}`, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature },
      body: new URLSearchParams(fields),
    })
    const text = await response.text()
    if (!response.ok) refusals.push(text)
    return text
  }
  for (const name of ['voice', 'resume', 'status', 'menu', 'dial/answer', 'dial/status', 'dial/machine']) {
    await hook(name, CANARY.wrongSignature)
    await hook(name, signRequest(CANARY.authToken, `${PUBLIC}/twilio/${name}`, fields))
  }
  tokens.stream =
    /name="token" value="([^"]+)"/.exec(
      await hook('voice', signRequest(CANARY.authToken, `${PUBLIC}/twilio/voice`, fields)),
    )?.[1] ?? ''
  expect(tokens.stream).not.toBe('')

  // Through the media socket: invalid messages, and the token of another call.
  const socket = new WebSocket(`${base.replace('http', 'ws')}/twilio/media`, {
    headers: {
      'x-twilio-signature': sign(CANARY.authToken, `${PUBLIC.replace('https', 'wss')}/twilio/media`),
    },
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const over = new Promise(resolve => socket.once('close', resolve))
  socket.send(`{"event":"${CANARY.said}"}`)
  socket.send(`not json ${CANARY.said} +${CANARY.stranger}`)
  socket.send(
    JSON.stringify({
      event: 'start',
      sequenceNumber: '1',
      streamSid: 'MZ1',
      start: {
        accountSid: 'AC1',
        streamSid: 'MZ1',
        callSid: 'CA1',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: { token: tokens.stream },
      },
    }),
  )
  await over

  // Through the talk page's socket: wrong invitations, invalid messages, a visitor who joins and invites others.
  const page = async (...messages: string[]) => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/talk/socket`)
    const told: string[] = []
    socket.on('message', (data, binary) => void (binary || told.push(String(data))))
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    for (const message of messages) socket.send(message)
    return { socket, told, closed: new Promise(resolve => socket.once('close', resolve)) }
  }
  const hello = { kind: 'hello', speaks: 'en-us', hears: 'es-es', alone: 'es-es', name: CANARY.visitor }
  for (const more of [{ link: CANARY.wrongLink }, { code: CANARY.stranger.slice(0, 9) }]) {
    const refused = await page(`not json ${CANARY.said}`, JSON.stringify({ ...hello, ...more }))
    await refused.closed
    expect(refused.told.join()).toContain('refused')
  }
  const visit = await page(JSON.stringify(hello))
  const said = (kind: string) =>
    until(() => visit.told.map(each => JSON.parse(each)).find(each => each.kind === kind), 10_000, kind)
  const welcome = await said('welcome')
  visit.socket.send('{"kind":"invite"}')
  const invited = await said('invited')
  tokens.visit = welcome.call
  tokens.visitSecret = welcome.secret
  tokens.invitation = invited.path.replace('/#join=', '')
  tokens.invitationCode = invited.code
  expect(Object.values(tokens).every(token => typeof token === 'string' && token.length > 5)).toBe(true)
  visit.socket.send(Buffer.alloc(648, 'x'))
  visit.socket.send(Buffer.from(CANARY.said))
  visit.socket.send('{"kind":"bye"}')
  await visit.closed
  await ask('GET', '/dashboard/offer', undefined, CANARY.wrongKey)
  await ask('POST', '/dashboard/calls', { phones: [{ recording: CANARY.said }] })
  await ask('DELETE', `/dashboard/calls/${CANARY.visitor}`)

  // The service drops during a sentence, sends invalid messages, rejects the key and explains it in words of the call.
  const errors = [CANARY.said, `key ${CANARY.serviceKey} of +${CANARY.caller}`]
  for (const description of errors)
    for (const session of x.service.sessions)
      session.emit('error', { code: 'bad_thing', error: 'bad', description })
  x.service.next({ dropAt: 20 })
  await say(caller, VOICE.caller, 900)
  x.service.faults.mangle = result => ({
    ...result,
    text: CANARY.said,
    file: { data: Buffer.from(CANARY.translated) },
  })
  await say(callee, VOICE.callee, 900)
  x.service.faults.refuseKey = {
    code: 'unauthorized',
    error: 'key_wrong',
    description: `the key ${CANARY.serviceKey} is wrong`,
  }
  x.service.sessions.at(-1)?.emit('error', { description: CANARY.said })
  await x.service.stop()
  await say(caller, VOICE.caller, 600)
  caller.drop()
  await until(() => kept.lines.some(line => line.includes('stream started')), 10_000, 'a log')
  receiving.answer = 500
  await callee.hangUp()
  await until(() => x.app.relay.rooms.size === 0, 20_000, 'the end')
  const app = x.app
  const metrics = JSON.stringify([
    app.relay.metrics,
    app.requestGuard.counters,
    app.overload,
    app.server.twilio.counters(),
    [...app.server.twilio.refused],
    app.server.browser.counters,
    app.server.browser.legCounters(),
    (await ask('GET', '/health')).text,
    (await ask('GET', '/v1/webhooks')).text,
  ])
  await x[Symbol.asyncDispose]()
  await receiving[Symbol.asyncDispose]()

  const canaries = { ...CANARY, ...tokens }
  // Confirms that the test covers something: people spoke, lines written, requests rejected, the receiver
  // notified.
  expect(kept.lines.length).toBeGreaterThan(15)
  expect(refusals.length).toBeGreaterThan(10)
  expect(receiving.got.some(({ body }) => body.includes(CANARY.said))).toBe(true)
  const hits = {
    log: kept.lines.flatMap(line => hitsIn(line, canaries).map(name => `${name}: ${line}`)),
    audio: kept.lines.filter(line => AUDIO.test(line)),
    errors: refusals.flatMap(text => hitsIn(text, canaries).map(name => `${name}: ${text}`)),
    metrics: hitsIn(metrics, canaries),
    files: filesIn(folder).flatMap(({ path, text }) =>
      hitsIn(`${path}\n${text}`, canaries).map(name => `${name}: ${path}`),
    ),
    arguments: hitsIn(process.argv.join(' '), canaries),
  }
  expect(hits).toEqual({ log: [], audio: [], errors: [], metrics: [], files: [], arguments: [] })
  expect(process.report.reportOnFatalError).toBe(false)
})
