import { z } from 'zod'
import { sameLanguage } from '../../common/language.ts'
import { eventData } from '../../service/server/engines/remote/openai.ts'
import type { Terminal } from '../terminal.ts'

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
  if (targets.includes(to) || sameLanguage(from, to)) return undefined
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

/** A final caption of the call. */
export interface CallCaption {
  readonly from: string
  readonly to: string
  readonly text?: string | undefined
  readonly translation?: string | undefined
}

/** The room opens with the first participant, shortly after the call is answered. */
const ATTEMPTS = 20
const ATTEMPT_MS = 100
/** Maximum number of captions kept. */
const MOST_CAPTIONS = 1_000

/** Follows a room’s captions through the control API and prints them when they are final. */
export class CallCaptions implements Disposable {
  readonly all: CallCaption[] = []
  readonly #stop = new AbortController()
  readonly #terminal: Terminal

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /**
   * Reads until the room ends or this is disposed. Captions are optional: the call continues without them. Never
   * rejects.
   */
  async follow(server: string, key: string, room: string): Promise<void> {
    const { signal } = this.#stop
    const url = `${server}/v1/rooms/${encodeURIComponent(room)}/captions?final=true`
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal })
        if (response.ok && response.body) {
          for await (const data of eventData(response.body)) this.#shown(data)
          return
        }
        await response.body?.cancel()
        if (response.status !== 404) return
        await new Promise(resolve => setTimeout(resolve, ATTEMPT_MS))
      }
    } catch {
      // The bridge is gone, or the call has ended.
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  #shown(data: string): void {
    const event = JSON.parse(data) as Partial<CallCaption> & { final?: boolean; system?: boolean }
    const { from, to, text, translation, final, system } = event
    if (!final || system || from === undefined || to === undefined || this.all.length >= MOST_CAPTIONS) return
    this.all.push({ from, to, text, translation })
    if (text !== undefined) this.#terminal.line({ text: from, color: 'dim' }, `  ${text}`)
    if (translation !== undefined) this.#terminal.line({ text: to, color: 'cyan' }, `  ${translation}`)
  }
}
