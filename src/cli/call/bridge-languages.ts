import { z } from 'zod'

/** The used part of a bridge’s language list (`GET /talk/languages`). */
const offerSchema = z.object({
  languages: z.array(
    z.object({ id: z.string(), heard: z.boolean(), spoken: z.boolean(), into: z.array(z.string()) }),
  ),
})

const PATIENCE_MS = 3_000

/**
 * Returns why the bridge at `server` cannot translate between the languages, with the languages it supports. Returns
 * undefined if it can, or if it does not report them (its browser bridge may be off). Never rejects.
 */
export async function bridgeLanguageProblem(
  server: string,
  from: string,
  to: string,
): Promise<string | undefined> {
  const offer = await offered(server)
  if (!offer) return undefined
  const sources = offer.filter(({ heard }) => heard)
  const source = sources.find(({ id }) => id === from)
  if (!source)
    return `the bridge does not recognize ${from}; --from can be: ${listed(sources.map(({ id }) => id))}`
  const spoken = new Set(offer.filter(each => each.spoken).map(({ id }) => id))
  const targets = source.into.filter(id => spoken.has(id))
  if (targets.includes(to) || from.split('-')[0] === to.split('-')[0]) return undefined
  return `the bridge does not translate ${from} into ${to}; --to can be: ${listed(targets)}`
}

async function offered(server: string) {
  try {
    const response = await fetch(`${server}/talk/languages`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const offer = offerSchema.safeParse(await response.json())
    return offer.success ? offer.data.languages : undefined
  } catch {
    return undefined
  }
}

function listed(languages: readonly string[]): string {
  return languages.join(', ') || 'none, because an engine is missing (run dragoman doctor)'
}
