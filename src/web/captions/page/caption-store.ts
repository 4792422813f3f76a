import type { Caption } from './caption.ts'

/** A caption with its position. */
export interface Entry extends Caption {
  /** Unique across all lives of the room. */
  readonly key: string
  /** Life of the room, numbered by this page. */
  readonly life: number
}

/** Maximum number of captions on the page; the download has all. */
const MOST = 5_000
/** A lane counts as quiet when another has captions this long after its last one (ms). */
const QUIET_MS = 10_000

/** The lane of a speaker whose originals are shown, and since when. */
interface Lead {
  readonly to: string
  readonly life: number
  readonly fromMs: number
}

/**
 * The captions in the order of their start, each utterance once with its latest text. A speaker who is translated into
 * several languages has one original per lane: one of the lanes *leads*, and only its originals are shown.
 */
export class CaptionStore {
  readonly #entries: Entry[] = []
  readonly #byKey = new Map<string, Entry>()
  readonly #leads = new Map<string, Lead[]>()
  /** End of the latest words, by speaker and language. */
  readonly #lastEnd = new Map<string, number>()
  /** Key of the utterance started last, by speaker and language. */
  readonly #newest = new Map<string, string>()
  readonly #names = new Map<string, string>()
  readonly #voices = new Map<string, number>()
  readonly languages = new Set<string>()
  #life = 0
  #lifeId = ''
  /** Captions dropped because of the limit. */
  forgotten = 0

  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** ID of the life of the room being read; '' before the first caption. */
  get lifeId(): string {
    return this.#lifeId
  }

  /** The room has this life ID now. A new ID is another conversation, listed after the previous one. */
  inLife(id: string): void {
    if (id === this.#lifeId) return
    if (this.#lifeId !== '') this.#life++
    this.#lifeId = id
    this.#lastEnd.clear()
    this.#leads.clear()
  }

  /** Adds a caption; returns whether anything changed. Final captions do not change. */
  take(caption: Caption): boolean {
    const key = `${this.#life} ${caption.utterance}`
    const before = this.#byKey.get(key)
    if (before?.final) return false
    // The position is fixed when an utterance starts.
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

  /**
   * Adds the captions of a transcript of this life, in order: missing ones are inserted, existing ones stay unchanged.
   */
  fill(captions: readonly Caption[]): void {
    for (const caption of captions) this.take(caption)
    const ranks = new Map(captions.map(({ utterance }, rank) => [utterance, rank]))
    const rank = ({ life, utterance }: Entry) => (life === this.#life ? ranks.get(utterance) : undefined)
    this.#entries.sort(
      (a, b) => a.life - b.life || a.startMs - b.startMs || (rank(a) ?? ranks.size) - (rank(b) ?? ranks.size),
    )
  }

  /** Returns the utterance of this life of the room. */
  find(utterance: string): Entry | undefined {
    return this.#byKey.get(`${this.#life} ${utterance}`)
  }

  /** Returns the name of a speaker, if known. */
  nameOf(speaker: string): string | undefined {
    return this.#names.get(speaker)
  }

  /** Returns a number for each speaker, in the order of their first words. */
  voiceOf(speaker: string): number {
    const known = this.#voices.get(speaker)
    if (known !== undefined) return known
    this.#voices.set(speaker, this.#voices.size)
    return this.#voices.size - 1
  }

  /**
   * True if the text can still grow. It does not if the speaker has moved on, for example after a connection to the
   * service broke.
   */
  grows({ key, final, speaker, to }: Entry): boolean {
    return !final && this.#newest.get(`${speaker} ${to}`) === key
  }

  /** True if the originals of this lane represent the speaker at that time. */
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

/** The reader’s choice of texts. */
export interface Wish {
  readonly show: 'both' | 'translation' | 'original'
  /** The reader’s language; '' for all. */
  readonly language: string
}

/** A text in its language. */
export interface CaptionText {
  readonly language: string
  readonly text: string
  readonly kind: 'original' | 'translation'
}

/** Shown while someone speaks and no words in the selected language exist yet. */
const NOT_YET = '…'

/**
 * Returns the lines of `entry` to show for `wish`; empty if it is hidden. `leads`: whether its original represents the
 * speech, since each target language has a copy of the original.
 */
export function shownLines(entry: Entry, leads: boolean, { show, language }: Wish): CaptionText[] {
  const { from, to, final } = entry
  const original: CaptionText = { language: from, text: entry.text ?? '', kind: 'original' }
  const translation: CaptionText = { language: to, text: entry.translation ?? '', kind: 'translation' }
  // Readers of the spoken language need no translation of it.
  if (language !== '' && to !== language) return from === language && leads ? said([original]) : []
  const same = from === to || original.text === translation.text
  const wantsOriginal = show !== 'translation' && (leads || language !== '')
  if (show === 'original') return wantsOriginal ? said([original.text === '' ? translation : original]) : []
  // For a service that returns only one text.
  if (final && translation.text === '') return wantsOriginal || show === 'translation' ? said([original]) : []
  if (same && original.text !== '') return said([translation])
  if (show === 'translation' && translation.text === '') return [{ ...translation, text: NOT_YET }]
  return said(wantsOriginal ? [original, translation] : [translation])
}

function said(lines: readonly CaptionText[]): CaptionText[] {
  return lines.filter(({ text }) => text !== '')
}
