import { z } from 'zod'
import { systemWallClock } from '../../common/wall-clock.ts'
import { type ConfiguredEngine, choiceOf } from '../engines/configured-engines.ts'
import { type Check, fail, warn } from './check.ts'
import type { DoctorEnvironment } from './environment.ts'

/** `GET /v1/models` at OpenAI; other servers leave the date out (API reference, "Deprecations"). */
const modelsSchema = z.object({
  data: z.array(z.object({ id: z.string(), shutdown_date: z.string().nullish() })),
})

const DAY_MS = 24 * 60 * 60_000
/** A model that is shut down within this time is reported (days). */
const SOON_DAYS = 120

/** Reports models that their service shuts down soon, or has shut down. Servers that tell no dates are skipped. */
export async function retirementChecks(
  engines: readonly ConfiguredEngine[],
  around: Pick<DoctorEnvironment, 'modelsAt'>,
  now: number = systemWallClock(),
): Promise<Check[]> {
  const named = engines.filter(({ model }) => model !== undefined)
  const checks = await Promise.all(named.map(engine => retirementCheck(engine, around, now)))
  return checks.filter(check => check !== undefined)
}

async function retirementCheck(
  engine: ConfiguredEngine,
  around: Pick<DoctorEnvironment, 'modelsAt'>,
  now: number,
): Promise<Check | undefined> {
  const { engine: kind, url, apiKey } = choiceOf(engine)
  if (url === undefined || !kind.startsWith('openai')) return undefined
  const { data } = modelsSchema.safeParse(await around.modelsAt(url, apiKey))
  const date = data?.data.find(({ id }) => id === engine.model)?.shutdown_date
  const end = date ? Date.parse(date) : Number.NaN
  if (Number.isNaN(end)) return undefined
  const name = `${engine.kind}: ${engine.name}`
  const days = Math.ceil((end - now) / DAY_MS)
  const fix = 'choose a model that stays, in its settings'
  if (days <= 0) return fail(name, `${engine.model} was shut down on ${date}`, fix)
  if (days > SOON_DAYS) return undefined
  return warn(name, `${engine.model} will be shut down on ${date}, in ${days} days`, fix)
}
