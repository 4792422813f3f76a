import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server, type Socket } from 'socket.io'
import type { Mp3Maker } from '../../../simulator/service/scripted-answers.ts'
import { NAMESPACES } from '../../../src/service/contract.ts'
import { answerHttp, MODEL_KEY } from './model-http.ts'
import { ModelSession } from './model-session.ts'
import { error } from './model-voices.ts'

/**
 * A service with the whole interface and fixed results, independent of the embedded one. It breaks exactly the
 * statements in `faults`.
 */
export async function modelService(maker: Mp3Maker, ...faults: string[]) {
  const bad = (id: string) => faults.includes(id)
  const http = createServer((request, response) => void answerHttp(request, response, bad, maker))
  const io = new Server(http, { transports: bad('3-4') ? ['polling'] : ['websocket', 'polling'] })
  for (const namespace of NAMESPACES) {
    io.of(namespace).use((socket, next) => next(refusal(socket, bad)))
    io.of(namespace).on('connection', socket => {
      if (bad('6-9') && socket.handshake.auth.token === WRONG) socket.disconnect(true)
      else new ModelSession(socket, bad, maker)
    })
  }
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      await io.close()
    },
  }
}

const WRONG = 'a-key-that-nobody-has'

function refusal(socket: Socket, bad: (id: string) => boolean): Error | undefined {
  const token: unknown = socket.handshake.auth[bad('5.3-1') ? 'key' : 'token']
  if (token === MODEL_KEY) return undefined
  if (token === undefined && bad('5.1-3')) return undefined
  if (token === WRONG && (bad('5.1-4') || bad('6-9'))) return undefined
  const data = bad('7-3') ? 'no' : error('unauthorized', token === undefined ? 'key_missing' : 'key_wrong')
  return Object.assign(new Error('unauthorized'), { data })
}
