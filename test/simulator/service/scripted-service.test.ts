import { io } from 'socket.io-client'
import { expect, test } from 'vitest'
import type { StsResult } from '../../../src/service/contract.ts'
import { silence } from '../../../src/simulator/service/scripted-answers.ts'
import { ScriptedService } from '../../../src/simulator/service/scripted-service.ts'
import { until } from '../../support/until.ts'

// The tests of the client in test/service/client/ use the other faults.
test('results come twice, in another order, in slices, or as anything else', async () => {
  const service = await ScriptedService.listen({ answer: silence })
  const socket = io(`${service.url}/sts`, {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    auth: { token: service.apiKey },
    query: { languageIdSource: 'en-us', languageIdTarget: 'es-es' },
  })
  try {
    const results: StsResult[] = []
    socket.on('result', (result: StsResult) => results.push(result))
    await new Promise<unknown>(settle => socket.once('start', settle))
    const said = (count: number) =>
      until(() => (results.length >= count ? results.splice(0) : undefined), 5_000, `${count} results`)
    const session = service.session!
    Object.assign(service.faults, { duplicate: true, reorder: true })
    session.say({ text: 'one' })
    session.say({ text: 'two' })
    expect((await said(4)).map(({ text }) => text)).toEqual(['two', 'two', 'one', 'one'])
    Object.assign(service.faults, { duplicate: false, reorder: false, sliceBytes: 3 })
    session.say({ audio: new Uint8Array(7) })
    expect((await said(3)).map(({ file }) => file?.data.byteLength)).toEqual([3, 3, 1])
    service.faults.mangle = () => ({ file: { data: 'text' } })
    session.say({})
    expect(await said(1)).toEqual([{ file: { data: 'text' } }])
  } finally {
    socket.disconnect()
    await service.close()
  }
})
