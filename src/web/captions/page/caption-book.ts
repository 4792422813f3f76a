import type { Caption } from './caption.ts'

/** A caption in its place. */
export interface Entry extends Caption {
  /** Unique over all lives of the room. */
  readonly key: string
  /** Which life of the room, counted by this page. */
  readonly life: number
}

/** Captions kept; the download has all. */
const MOST = 5_000
/** A lane has gone quiet when another has words so long after its last ones (ms). */
const QUIET_MS = 10_000

/** From when on a lane of a speaker is the one whose originals are shown. */
interface Lead {
  readonly to: string
  readonly life: number
  readonly fromMs: number
}

/**
 * What was said, in the order in which it was begun: each utterance once and as it is now. A speaker who is translated into
 * several languages says everything once: one of these lanes *leads*, and its originals are shown.
 */
export class CaptionBook {
  readonly #entries: Entry[] = []
  readonly #byKey = new Map<string, Entry>()
  readonly #leads = new Map<string, Lead[]>()
  /** By speaker and language, when its latest words ended. */
  readonly #lastEnd = new Map<string, number>()
  /** By speaker and language, the key of the utterance that was begun last. */
  readonly #newest = new Map<string, string>()
  readonly #names = new Map<string, string>()
  readonly #voices = new Map<string, number>()
  readonly languages = new Set<string>()
  #life = 0
  #lifeId = ''
  /** Captions that were forgotten for want of room. */
  forgotten = 0

  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** The id of the life of the room that is being read; '' before anything was said. */
  get lifeId(): string {
    return this.#lifeId
  }

  /** The room lives under this id: another one than before is another conversation, after the one before. */
  inLife(id: string): void {
    if (id === this.#lifeId) return
    if (this.#lifeId !== '') this.#life++
    this.#lifeId = id
    this.#lastEnd.clear()
    this.#leads.clear()
  }

  /** Takes a caption; whether it changed anything. What is final stays as it is. */
  take(caption: Caption): boolean {
    const key = `${this.#life} ${caption.utterance}`
    const before = this.#byKey.get(key)
    if (before?.final) return false
    // Its place was settled when it was begun.
    const startMs = before?.startMs ?? caption.startMs
    const entry: Entry = { ...before, ...caption, startMs, key, life: this.#life }
    if (before) this.#entries[this.#entries.lastIndexOf(before)] = entry
    else this.#insert(entry)
    this.#byKey.set(key, entry)
    this.languages.add(entry.from).add(entry.to)
    if (entry.name) this.#names.set(entry.speaker, entry.name)
    this.#follow(entry)
    return true
  }

  /** Takes what a transcript has of this life, in its order: what was missing gets its place, what is there stays as it is. */
  fill(captions: readonly Caption[]): void {
    for (const caption of captions) this.take(caption)
    const ranks = new Map(captions.map(({ utterance }, rank) => [utterance, rank]))
    const rank = ({ life, utterance }: Entry) => (life === this.#life ? ranks.get(utterance) : undefined)
    this.#entries.sort(
      (a, b) => a.life - b.life || a.startMs - b.startMs || (rank(a) ?? ranks.size) - (rank(b) ?? ranks.size),
    )
  }

  /** The utterance of this life of the room. */
  find(utterance: string): Entry | undefined {
    return this.#byKey.get(`${this.#life} ${utterance}`)
  }

  /** What a speaker is called, as far as is known. */
  nameOf(speaker: string): string | undefined {
    return this.#names.get(speaker)
  }

  /** A number for each speaker, in the order of their first words. */
  voiceOf(speaker: string): number {
    const known = this.#voices.get(speaker)
    if (known !== undefined) return known
    this.#voices.set(speaker, this.#voices.size)
    return this.#voices.size - 1
  }

  /** Whether more is to come of it: not of words that their speaker has left behind, as when a connection to the service broke. */
  grows({ key, final, speaker, to }: Entry): boolean {
    return !final && this.#newest.get(`${speaker} ${to}`) === key
  }

  /** Whether the originals of this lane stand for what the speaker said then. */
  leads({ speaker, to, life, startMs }: Entry): boolean {
    const lead = this.#leads.get(speaker)?.findLast(each => each.life === life && each.fromMs <= startMs)
    return lead === undefined || lead.to === to
  }

  #insert(entry: Entry): void {
    this.voiceOf(entry.speaker)
    const lane = `${entry.speaker} ${entry.to}`
    const newest = this.#byKey.get(this.#newest.get(lane) ?? '')
    if (!newest || !isAfter(newest, entry)) this.#newest.set(lane, entry.key)
    let at = this.#entries.length
    while (at > 0 && isAfter(this.#entries[at - 1]!, entry)) at--
    this.#entries.splice(at, 0, entry)
    if (this.#entries.length <= MOST) return
    const oldest = this.#entries.shift()!
    this.#byKey.delete(oldest.key)
    this.forgotten++
  }

  #follow({ speaker, to, life, startMs, endMs }: Entry): void {
    const leads = this.#leads.get(speaker) ?? []
    this.#leads.set(speaker, leads)
    const leader = leads.at(-1)
    const leaderEnd = leader ? (this.#lastEnd.get(`${speaker} ${leader.to}`) ?? 0) : 0
    if (!leader) leads.push({ to, life, fromMs: 0 })
    else if (leader.to !== to && startMs > leaderEnd + QUIET_MS) leads.push({ to, life, fromMs: leaderEnd })
    const lane = `${speaker} ${to}`
    this.#lastEnd.set(lane, Math.max(endMs, this.#lastEnd.get(lane) ?? 0))
  }
}

function isAfter(one: Entry, other: Entry): boolean {
  return one.life > other.life || (one.life === other.life && one.startMs > other.startMs)
}
