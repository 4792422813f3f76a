import type { Catalogue } from './choices.ts'
import { fromRoot } from './root.ts'

/** What can be chosen from, for whoever has `link`. The service may need a moment: it is asked until it answers, and `waits` is called each time it does not. */
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
      // The server is away, or the network.
    }
    waits()
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}
