import { fromRoot } from '../../../pages/page/root.ts'
import type { Catalogue } from './choices.ts'

/**
 * Fetches the available choices for the holder of `link`. Retries until the service responds, and calls `waits` after
 * each failure.
 */
export async function catalogue(link: string | undefined, waits: () => void): Promise<Catalogue> {
  for (;;) {
    try {
      const headers: Record<string, string> = link === undefined ? {} : { authorization: `Bearer ${link}` }
      const answer = await fetch(fromRoot('talk/languages'), { headers })
      if (answer.ok) {
        const found = (await answer.json()) as Catalogue
        const recordings = found.recordings.map(each => ({
          ...each,
          url: new URL(each.url, answer.url).href,
        }))
        return { ...found, recordings }
      }
    } catch {
      // The server or the network is unavailable.
    }
    waits()
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}
