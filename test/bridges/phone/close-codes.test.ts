import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { CLOSE_CODES, type CloseCause } from '../../../src/bridges/phone/leg/close-codes.ts'
import { sign } from '../../../src/bridges/phone/markup/form-signature.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import {
  AUTH_TOKEN,
  fieldsOf,
  Harness,
  MEDIA_URL,
  type Party,
  SILENCE,
  tokenIn,
  until,
} from '../../support/phone/twilio-bridge-harness.ts'

interface Scene {
  readonly bridge: Harness
  readonly clock: FakeClock
}

/** For each row, all ways to trigger it; each returns the peer of the socket that must be closed with that code. */
const WAYS: Record<CloseCause, Record<string, (scene: Scene) => Promise<Party>>> = {
  done: {
    'after stop': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      party.stop()
      return party
    },
  },
  'going-away': {
    'when the server closes': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      void bridge.app.close()
      return party
    },
  },
  restart: {
    'when the call is handed over': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      void bridge.app.twilio.handOver()
      return party
    },
  },
  protocol: {
    'for a frame with a reserved bit': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      tcpOf(party).write(Buffer.from([0xc1, 0x80, 0, 0, 0, 0]))
      return party
    },
    'for a frame without mask': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      tcpOf(party).write(Buffer.from([0x81, 0x02, 0x7b, 0x7d]))
      return party
    },
  },
  binary: {
    'for a binary frame': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      party.raw(Buffer.alloc(160), true)
      return party
    },
  },
  'bad-messages': {
    'for 10 in a second': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      for (let n = 0; n < 10; n++) party.raw('{"event":')
      return party
    },
    'for bytes that are not UTF-8': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      tcpOf(party).write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]))
      return party
    },
  },
  flood: {
    'for more audio at once than any stall delays': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      for (let n = 0; n < 7_500; n++) party.media()
      return party
    },
    'for ten times real time for long': async ({ bridge, clock }) => {
      const { party, admitted } = await bridge.call('CA1')
      for (let n = 0; n < 30 && !admitted.ended; n++) {
        const before = counters(bridge).messagesIn
        for (let sent = 0; sent < 500; sent++) party.media()
        await until(() => admitted.ended !== undefined || counters(bridge).messagesIn === before + 500)
        clock.advance(1_000)
      }
      return party
    },
    'for 5 s of messages before start': async ({ bridge }) => {
      const party = await bridge.dial()
      for (let n = 0; n < 260; n++) party.connected()
      return party
    },
    'for a storm of pings': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      let pongs = 0
      party.socket.on('pong', () => pongs++)
      for (let lot = 1; lot <= 10; lot++) {
        for (let n = 0; n < 50; n++) party.socket.ping()
        await until(() => pongs === lot * 50 || party.socket.readyState !== party.socket.OPEN)
      }
      return party
    },
  },
  'too-large': {
    'for 1 MB': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      party.raw('x'.repeat(1_000_000))
      return party
    },
    'for 1 MB of brackets before start': async ({ bridge }) => {
      const party = await bridge.dial()
      party.raw('['.repeat(1_000_000))
      return party
    },
  },
  failed: {
    'when the relay fails': async ({ bridge }) => {
      bridge.relay.refuse = new TypeError('broken')
      return started(bridge, 'CA1')
    },
  },
  full: {
    'when the relay is full': async ({ bridge }) => {
      bridge.relay.refuse = new BridgeError('CAPACITY', 'full')
      return started(bridge, 'CA1')
    },
  },
  'bad-media': {
    'for payloads that are not base64': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      for (let n = 0; n < 6; n++) party.media('*'.repeat(216))
      return party
    },
  },
  unauthorized: {
    'without a token': async ({ bridge }) => {
      await bridge.ring('CA1')
      return started(bridge, 'CA1', '')
    },
    'with a wrong token': async ({ bridge }) => {
      await bridge.ring('CA1')
      return started(bridge, 'CA1', 'x'.repeat(43))
    },
    'with a used token': async ({ bridge }) => {
      const token = await bridge.ring('CA1')
      await started(bridge, 'CA1', token)
      await until(() => bridge.relay.admitted.length === 1)
      return started(bridge, 'CA1', token)
    },
    'with an expired token': async ({ bridge, clock }) => {
      const token = await bridge.ring('CA1')
      clock.advance(60_000)
      return started(bridge, 'CA1', token)
    },
    'with a token of another call': async ({ bridge }) => {
      const token = await bridge.ring('CA1')
      return started(bridge, 'CA2', token)
    },
  },
  'call-ended': {
    'after its stream was stopped': async ({ bridge }) => {
      const { party, admitted } = await bridge.call('CA1')
      const { body } = await bridge.post('/twilio/resume', fieldsOf('CA1'))
      party.stop()
      await until(() => admitted.ended)
      return started(bridge, 'CA1', tokenIn(body))
    },
    'after its status callback': async ({ bridge }) => {
      const token = await bridge.ring('CA1')
      await bridge.post('/twilio/status', { ...fieldsOf('CA1'), CallStatus: 'canceled' })
      return started(bridge, 'CA1', token)
    },
  },
  'no-start': {
    'after 5 s without data': async ({ bridge, clock }) => {
      const party = await bridge.dial()
      await until(() => clock.pending > 0)
      clock.advance(5_000)
      return party
    },
    'after 5 s of media': async ({ bridge, clock }) => {
      const party = await bridge.dial()
      for (let n = 0; n < 60; n++) party.media()
      await until(() => clock.pending > 0)
      clock.advance(5_000)
      return party
    },
    'after 5 s of connected': async ({ bridge, clock }) => {
      const party = await bridge.dial()
      party.connected()
      await until(() => clock.pending > 0)
      clock.advance(5_000)
      return party
    },
  },
  replaced: {
    'by a newer stream': async ({ bridge }) => {
      const { party } = await bridge.call('CA1')
      await bridge.again('CA1', 'MZ2')
      return party
    },
  },
  'media-format': {
    'for A-law': ({ bridge }) => startedAs(bridge, { encoding: 'audio/x-alaw' }),
    'for 16 kHz': ({ bridge }) => startedAs(bridge, { sampleRate: 16000 }),
    'for stereo': ({ bridge }) => startedAs(bridge, { channels: '2' }),
  },
}

async function started(bridge: Harness, callSid: string, token?: string, format = {}): Promise<Party> {
  const good = token ?? (await bridge.ring(callSid))
  const party = await bridge.dial()
  party.start({ callSid, token: good, format })
  return party
}

function startedAs(bridge: Harness, format: object): Promise<Party> {
  return started(bridge, 'CA1', undefined, format)
}

function counters(bridge: Harness) {
  return bridge.app.twilio.counters()
}

/** The TCP socket of a client, for data that no client would send. */
function tcpOf(party: Party): { write(bytes: Buffer): void } {
  return (party.socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket
}

describe.each(Object.keys(CLOSE_CODES) as CloseCause[])('the media socket closes for %s', cause => {
  it.each(Object.entries(WAYS[cause]))('%s', async (_way, provoke) => {
    const clock = new FakeClock()
    await using bridge = await Harness.open({ clock })
    const party = await provoke({ bridge, clock })
    expect(await party.closed).toMatchObject({ code: CLOSE_CODES[cause].code })
    await until(() =>
      [...bridge.app.twilio.legs].every(leg => leg.streamId === 'MZ2' || leg.streamId === 'MZ1'),
    )
  })
})

describe('the table of close codes', () => {
  it('equals the one in the documentation', () => {
    const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')
    for (const [cause, { code, meaning }] of Object.entries(CLOSE_CODES))
      expect(page).toContain(`| ${code} | \`${cause}\` | ${meaning} |`)
  })
})

describe('the upgrade of the media socket', () => {
  it.each([
    ['without a signature', null],
    ['with a forged signature', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA='],
    ['with a signature for https', sign(AUTH_TOKEN, MEDIA_URL.replace('wss', 'https'))],
    ['with a signature for another path', sign(AUTH_TOKEN, 'wss://bridge.example.com/twilio/other')],
    ['with a signature by another token', sign('other', MEDIA_URL)],
  ])('is rejected %s', async (_what, signature) => {
    await using bridge = await Harness.open()
    await expect(bridge.dial(signature)).rejects.toThrow('403')
    expect(bridge.log.complaints).toHaveLength(1)
  })

  it.each([
    MEDIA_URL,
    `${MEDIA_URL}/`,
    'wss://bridge.example.com:443/twilio/media',
    'wss://bridge.example.com:443/twilio/media/',
  ])('is accepted when signed for %s', async url => {
    await using bridge = await Harness.open()
    for (const path of ['/twilio/media', '/twilio/media/']) {
      const party = await bridge.dial(sign(AUTH_TOKEN, url), path)
      expect(party.socket.readyState).toBe(party.socket.OPEN)
    }
  })

  it('does not compress, and returns 404 for a plain request', async () => {
    await using bridge = await Harness.open()
    const party = await bridge.dial(undefined, '/twilio/media', { perMessageDeflate: true })
    expect(party.socket.extensions).toBe('')
    const headers = { 'x-twilio-signature': sign(AUTH_TOKEN, MEDIA_URL) }
    expect((await bridge.app.inject({ method: 'GET', url: '/twilio/media', headers })).statusCode).toBe(404)
    expect((await bridge.app.inject({ method: 'GET', url: '/twilio/media' })).statusCode).toBe(403)
  })
})

describe('a stream that replaces another', () => {
  it('continues alone, with its own audio', async () => {
    await using bridge = await Harness.open()
    const first = await bridge.call('CA1')
    const second = await bridge.again('CA1', 'MZ2')
    first.party.media()
    second.party.media(SILENCE)
    await until(() => second.admitted.frames.length === 1)
    expect(first.admitted.ended).toEqual({ kind: 'replaced' })
    expect(first.admitted.frames).toHaveLength(0)
    expect(bridge.app.twilio.legs.size).toBe(1)
  })
})
