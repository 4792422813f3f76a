import { parentPort, threadId } from 'node:worker_threads'
import { ScriptedService } from '../../../src/simulator/service/scripted-service.ts'

/** Messages to the service's own thread, and its answers: `first` are times on its own clock, by connection (ms). */
export type ToWorker = 'stop' | 'start' | 'report' | 'close'
export interface FromWorker {
  readonly url: string
  readonly apiKey: string
  readonly at: number
  readonly connections: number
  readonly first: readonly (number | undefined)[]
}

/** A scripted service in its own thread, so that it does not take time from the measured side. */
async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const first: (number | undefined)[] = []
  const service = await ScriptedService.listen({
    // One answer every two seconds, so that only this much is repeated.
    answer: session => () => {
      if (session.heardMs % 1_920 === 0) session.say({})
    },
    record: 'counts',
    onFragment: ({ number }) => {
      first[number] ??= performance.now()
    },
  })
  const tell = () => {
    const { url, apiKey, sessions } = service
    port.postMessage({
      url,
      apiKey,
      at: performance.now(),
      connections: sessions.length,
      first,
    } satisfies FromWorker)
  }
  port.on('message', async (order: ToWorker) => {
    if (order === 'start') await service.start()
    else if (order !== 'report') await service.stop()
    tell()
    if (order === 'close') port.close()
  })
  tell()
}

if (threadId !== 0 && parentPort) await serve(parentPort)
