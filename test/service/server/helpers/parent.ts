/** A process that has a service process, for tests of what happens when it is gone. */
import { ServiceProcess } from '../../../../src/service/server/process/service-process.ts'

const service = await ServiceProcess.start({ apiKeys: ['k'], engines: { pocketsphinx: { enabled: false } } })
process.send?.({ url: service.url, pid: service.pid })
