import type { Catalogue } from './choices.ts'

/** What can be chosen from, for whoever has `link`. The service may need a moment: it is asked until it answers, and `waits` is called each time it does not. */
export async function catalogue(link: string | undefined, waits: () => void): Promise<Catalogue> {
  for (;;) {
    try {
      const headers: Record<string, string> = link === undefined ? {} : { authorization: `Bearer ${link}` }
      const answer = await fetch('/talk/languages', { headers })
      if (answer.ok) return (await answer.json()) as Catalogue
    } catch {
      // The server is away, or the network.
    }
    waits()
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}
