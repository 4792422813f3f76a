import { afterEach } from 'vitest'
import { serviceLimitsSchema } from '../../../src/net/settings.ts'
import type { ServiceLimits } from '../../../src/service/server/limits.ts'
import { buildService, type ServiceOptions } from '../../../src/service/server/service.ts'
import { type ServiceConfig, serviceConfigSchema } from '../../../src/service/server/settings.ts'
import { fakeEngines } from '../engines/fake-engines.ts'
import { divided } from '../limits.ts'
import { NEVER_LATE, NEVER_OVERLOADED } from './no-lag.ts'
import { query, TestClient } from './test-client.ts'

export const KEY = 'a-key-for-tests'

const open: (() => unknown)[] = []

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** Settings and limits of a service, as one table. */
export type FakeServiceConfig = Partial<Omit<ServiceConfig, 'limits'>> &
  Partial<ServiceLimits> & { readonly limits?: ServiceConfig['limits'] & Partial<ServiceLimits> }

/** A service on loopback with scripted engines, closed after the test. */
export async function fakeService(config: FakeServiceConfig = {}, parts: ServiceOptions = {}) {
  const engines = fakeEngines()
  const { limits = {}, ...rest } = config
  const own = divided(rest, serviceConfigSchema)
  const edge = divided(limits, serviceLimitsSchema)
  const service = await buildService(
    {
      ...{ apiKeys: [KEY], ...NEVER_LATE, ...own.settings },
      limits: edge.settings,
    },
    // Tests of limits advance a clock by days, and memory would be read once in each of their seconds.
    {
      ...{ engines: engines.set, memoryShare: () => 0 },
      limits: { ...NEVER_OVERLOADED, ...own.constants, ...edge.constants },
      ...parts,
    },
  )
  open.push(() => service.close())
  const { url } = await service.listen()
  const connect = (namespace: string, parameters: Record<string, unknown> = {}, token?: string) => {
    const client = new TestClient(`${url}${namespace}`, token ?? KEY, query(parameters))
    open.push(() => client.close())
    return client
  }
  const ready = async (namespace: string, parameters: Record<string, unknown> = {}) => {
    const client = connect(namespace, parameters)
    await client.until('start')
    const stream = engines.recognizer.streams.at(-1)!
    return { client, stream }
  }
  const get = (path: string, key: string | undefined = KEY) =>
    fetch(`${url}${path}`, key === '' ? {} : { headers: { 'x-api-key': key } })
  return { service, url, engines, connect, ready, get }
}
