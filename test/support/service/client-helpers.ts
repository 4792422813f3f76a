import { afterEach } from 'vitest'
import { ScriptedService, type ScriptedServiceOptions } from '../../../simulator/service/scripted-service.ts'
import type { Clock } from '../../../src/common/clock.ts'
import { ServiceClientError } from '../../../src/service/client/errors.ts'
import { ServiceClient, type ServiceClientOptions } from '../../../src/service/client/service-client.ts'

const open: AsyncDisposable[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

/** Closed after the test. */
export function kept<T extends AsyncDisposable>(each: T): T {
  open.push(each)
  return each
}

/** For `finish`: the services of the tests answer at once. */
export const QUICK = { quietMs: 60 }

/** A scripted service and a client of it; both are closed after the test. */
export async function scripted(
  options: ScriptedServiceOptions = {},
  more: Partial<ServiceClientOptions> = {},
  clock?: Clock,
) {
  const service = kept(await ScriptedService.listen(options))
  const client = new ServiceClient({ url: service.url, apiKey: service.apiKey, ...more }, clock)
  return { service, client }
}

/** Returns the error of a promise that must reject. */
export async function failureOf(doing: Promise<unknown>): Promise<ServiceClientError> {
  const result = await doing.then(
    () => 'nothing failed',
    error => error,
  )
  if (result instanceof ServiceClientError) return result
  throw new Error(`no ServiceClientError: ${String(result)}`)
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
