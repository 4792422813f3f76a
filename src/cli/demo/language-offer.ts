import { ServiceClient, ServiceFailure } from '../../service/index.ts'

/** A translation service and the key for it. */
interface Asked {
  readonly url: string
  readonly apiKey: string
}

/**
 * Returns why the service does not translate between the languages, with those it supports; undefined if it does.
 * Rejects with a `ServiceFailure` if it cannot be queried.
 */
export async function languageProblem(service: Asked, from: string, to: string): Promise<string | undefined> {
  const client = new ServiceClient(service)
  try {
    const session = await client.openSession('/sts', { languageIdSource: from, languageIdTarget: to })
    await session.close()
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceFailure) || !['bad_parameter', 'engine_missing'].includes(error.code))
      throw error
    const languages = await client.languages()
    const heard = languages.filter(each => each.transcription)
    const source = heard.find(each => each.languageId === from)
    const targets = new Set((source ? [source] : heard).flatMap(each => each.translation))
    const voiced = languages.filter(each => each.synthesis && targets.has(each.languageId))
    return [
      `the service says: ${error.description}`,
      `--from can be: ${listed(heard.map(each => each.languageId))}`,
      `--to can be${source ? ` from ${from}` : ''}: ${listed(voiced.map(each => each.languageId))}`,
    ].join('\n')
  }
}

function listed(languages: readonly string[]): string {
  return languages.join(', ') || 'none, because an engine is missing (run dragoman doctor)'
}
