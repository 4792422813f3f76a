import { z } from 'zod'

/** The part of a bridge's language list that this needs (`GET /talk/languages`). */
const offerSchema = z.object({
  languages: z.array(
    z.object({ id: z.string(), heard: z.boolean(), spoken: z.boolean(), into: z.array(z.string()) }),
  ),
})

const PATIENCE_MS = 3_000

/**
 * Why the bridge at `server` cannot translate from one language into another, with the languages it has; undefined when it
 * can, or when it does not say (its browser bridge may be off). Never rejects.
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
    return `the bridge does not understand ${from}; --from can be: ${listed(sources.map(({ id }) => id))}`
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
  return languages.join(', ') || 'none, since an engine is missing (dragoman doctor)'
}
