import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import type { CallStore } from '../../../src/bridges/phone/history/call-history.ts'
import { CallRecords } from '../../../src/bridges/phone/history/call-records.ts'
import { StateFile } from '../../../src/storage/database.ts'
import { StateTables } from '../../../src/storage/state-tables.ts'
import { FleetHub } from '../../support/fleet/fleet-hub.ts'
import { LogLines } from '../../support/log-lines.ts'
import { fieldsOf, Harness, resumeUrlIn, tokenIn, until } from '../../support/phone/twilio-bridge-harness.ts'

const HANG_UP = '<?xml version="1.0" encoding="UTF-8"?><Response><Hangup/></Response>'
const pathOf = (url: string) => new URL(url).pathname + new URL(url).search

/** What outlives a process: its file, or the other nodes. */
async function stores(): Promise<[name: string, next: () => CallStore, pass: (ms: number) => void][]> {
  let now = 1_700_000_000_000
  const wallClock = () => now
  const pass = (ms: number) => {
    now += ms
  }
  const state = StateFile.open(undefined, new LogLines())
  const hub = new FleetHub()
  let nodes = 0
  return [
    ['file', () => new CallRecords(new StateTables(state, wallClock), wallClock), pass],
    ['fleet', () => new CallRecords(hub.join(`node-${++nodes}`), wallClock), pass],
  ]
}

describe.each(await stores())(
  'a request of a carrier, sent again after a restart, with a %s',
  (_name, next, pass) => {
    it('is refused when its call is over, however the call has ended', async () => {
      const ends: Record<string, (bridge: Harness) => Promise<unknown>> = {
        CAcompleted: bridge =>
          bridge.post('/twilio/status', { ...fieldsOf('CAcompleted'), CallStatus: 'completed' }),
        // The process is killed before it learns of the end.
        CAkilled: async () => undefined,
        CAhung: async bridge => {
          const leg = Array.from(bridge.app.twilio.legs).find(each => each.callId === 'CAhung')
          await leg?.close({ kind: 'hangup', by: 'local' })
        },
      }
      const captured: Record<string, string> = {}
      {
        await using bridge = await Harness.open({ callStore: next() })
        for (const [call, end] of Object.entries(ends)) {
          const { body } = await bridge.post('/twilio/voice', fieldsOf(call))
          await bridge.stream(call, tokenIn(body), `MZ${call}`)
          captured[call] = pathOf(resumeUrlIn(body))
          await bridge.again(call, `MZ${call}2`)
          await end(bridge)
        }
        await bridge.post('/twilio/status', { ...fieldsOf('CAbusy'), CallStatus: 'busy' })
      }
      for (const ms of [1_000, 640_000, 30 * 86_400_000]) {
        pass(ms)
        await using bridge = await Harness.open({ callStore: next() })
        for (const call of [...Object.keys(ends), 'CAbusy'])
          expect((await bridge.post('/twilio/voice', fieldsOf(call))).body, call).toBe(HANG_UP)
        for (const [call, path] of Object.entries(captured)) {
          const again = { ...fieldsOf(call), CallStatus: 'in-progress' }
          expect((await bridge.post(path, again)).body, call).toBe(HANG_UP)
        }
        expect(tokenIn((await bridge.post('/twilio/voice', fieldsOf(`CAnew${ms}`))).body)).not.toBe('')
      }
    })

    it('is accepted while its call goes on: repeated within seconds, or asking how to continue', async () => {
      let resume = ''
      {
        await using bridge = await Harness.open({ callStore: next() })
        await bridge.post('/twilio/voice', fieldsOf('CAunheard'))
        const { body } = await bridge.post('/twilio/voice', fieldsOf('CAlong'))
        await bridge.stream('CAlong', tokenIn(body), 'MZ1')
        resume = pathOf(resumeUrlIn(body))
      }
      pass(5_000)
      await using bridge = await Harness.open({ callStore: next() })
      expect(tokenIn((await bridge.post('/twilio/voice', fieldsOf('CAunheard'))).body)).not.toBe('')
      pass(3_600_000)
      const { body } = await bridge.post(resume, { ...fieldsOf('CAlong'), CallStatus: 'in-progress' })
      const { admitted } = await bridge.stream('CAlong', tokenIn(body), 'MZ2')
      await until(() => admitted.leg)
    })
  },
)

describe('a request about a call that never had a stream', () => {
  it('can be repeated for 30 seconds after the first one, however often, and is refused afterwards', async () => {
    const clock = new FakeClock()
    await using bridge = await Harness.open({ clock })
    const again = async () => (await bridge.post('/twilio/voice', fieldsOf('CAsilent'))).body
    for (let n = 0; n < 3; n++) {
      expect(tokenIn(await again())).not.toBe('')
      clock.advance(10_001)
    }
    for (const ms of [0, 100_000, 600_000]) {
      clock.advance(ms)
      expect(await again(), `${ms} ms later`).toBe(HANG_UP)
    }
  })
})
