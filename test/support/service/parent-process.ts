/** A process with a service process, to test what happens when it exits. */
import { ServiceProcess } from '../../../src/service/server/process/service-process.ts'

const service = await ServiceProcess.start({ apiKeys: ['k'], engines: { pocketsphinx: { enabled: false } } })
process.send?.({ url: service.url, pid: service.pid })
