import { parseJson } from '../../../common/json.ts'
import { element } from '../../../pages/page/dom.ts'
import type { StreamEvent } from '../../../pages/page/event-stream.ts'
import type { Access } from './access.ts'
import { readCaption } from './caption.ts'
import { CaptionList, ScreenReader, speakerName, type View } from './caption-list.ts'
import { CaptionStore, shownLines } from './caption-store.ts'
import { CaptionStream, readService, type StreamState, UnavailableTranslations } from './caption-stream.ts'
import { type Preferences, storePreferences } from './preferences.ts'
import { download, type Format, readTranscript } from './transcript.ts'
import { hasWords, say } from './words.ts'

/** Keeps the screen on while requested and the page is visible, if the browser supports it. */
class WakeLock {
  #wanted = false
  #lock: WakeLockSentinel | undefined

  constructor() {
    document.addEventListener('visibilitychange', () => void this.#hold())
  }

  set(wanted: boolean): void {
    this.#wanted = wanted
    if (wanted) void this.#hold()
    else {
      void this.#lock?.release()
      this.#lock = undefined
    }
  }

  /** The browser releases the lock when the page is hidden. */
  async #hold(): Promise<void> {
    if (!this.#wanted || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
    if (this.#lock && !this.#lock.released) return
    try {
      this.#lock = await navigator.wakeLock.request('screen')
      if (!this.#wanted) await this.#lock.release()
    } catch {
      // Low battery or a policy: the screen may turn off.
    }
  }
}

export interface ReadingOptions {
  readonly room: string
  readonly access: Access
  readonly preferences: Preferences
  /** The key is invalid or was revoked. */
  readonly onRefused: () => void
}

/** Duration of the notice that the service has recovered (ms). */
const BACK_MS = 4_000
/** Disconnections up to this duration show only the short message (ms). */
const SHORT_MS = 1_500
/** The stream has ended; only a user action starts it again. */
const OVER: ReadonlySet<StreamState> = new Set(['ended', 'expired', 'closed', 'refused'])
/** The reader has no access to the captions. */
const UNREADABLE: ReadonlySet<StreamState> = new Set(['expired', 'closed', 'refused'])
/** Number of attempts to fetch missing captions, and their interval (ms): other readers possibly send requests as well. */
const MOST_FILLS = 10
const REFILL_MS = 3_000
/** A replay of this size is possibly incomplete. */
const FULL_REPLAY = 400

/** A reader of a room’s captions: receives them, selects what is shown, and displays messages. */
export class Reading {
  readonly book = new CaptionStore()
  readonly list: CaptionList
  readonly #options: ReadingOptions
  readonly #stream: CaptionStream
  readonly #unavailable = new UnavailableTranslations()
  /** The note of the latest final caption on engines that serve instead of others. */
  #standIns = ''
  readonly #aloud = new ScreenReader(element('aloud', HTMLDivElement))
  readonly #awake = new WakeLock()
  readonly #notice = element('notice', HTMLDivElement)
  #preferences: Preferences
  #state: StreamState = 'connecting'
  /** Time of the last state change (ms of this page). */
  #since = 0
  #back = 0
  #nothingYet = true
  #whole = false
  /** Called when a new language appears. */
  onLanguages: () => void = () => {}

  constructor(options: ReadingOptions) {
    this.#options = options
    this.#preferences = options.preferences
    const { room, access } = options
    this.list = new CaptionList({
      stage: element('stage', HTMLElement),
      list: element('captions', HTMLOListElement),
      book: this.book,
      wish: () => this.#preferences,
      onView: view => this.#seen(view),
    })
    this.#stream = new CaptionStream({
      room,
      access,
      onEvent: event => this.#take(event),
      onState: state => this.#changed(state),
    })
    addEventListener('online', () => this.#stream.hurry())
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#stream.hurry()
    })
  }

  get preferences(): Preferences {
    return this.#preferences
  }

  /** Starts, or waits for the room after it has ended. */
  start(): void {
    this.#stream.start()
  }

  prefer(changes: Partial<Preferences>): void {
    this.#preferences = { ...this.#preferences, ...changes }
    storePreferences(this.#preferences)
    this.#awake.set(this.#preferences.awake && !OVER.has(this.#state))
    this.list.changed()
    this.#tell()
  }

  /** Saves the transcript; resolves to the message for the reader. */
  async save(format: Format): Promise<string> {
    return await download(this.#asked(), format, this.#preferences)
  }

  /** Shows earlier captions, including captions that the stream no longer had. */
  async earlier(): Promise<void> {
    if (!this.#whole) this.#whole = await this.#fill()
    this.list.earlier()
  }

  #asked() {
    const { room, access } = this.#options
    return { room, access, life: this.book.lifeId }
  }

  /**
   * Fetches what the stream did not have; existing captions stay unchanged. Returns false if the server did not return
   * it.
   */
  async #fill(): Promise<boolean> {
    const { life } = this.#asked()
    const captions = await readTranscript(this.#asked())
    if (this.book.lifeId !== life) return true
    if (captions) this.book.fill(captions)
    this.list.changed()
    return captions !== undefined
  }

  /** Captions are missing: retries until they are fetched. */
  async #fillSurely(): Promise<void> {
    for (let tries = 0; tries < MOST_FILLS; tries++) {
      if (await this.#fill()) return
      await new Promise(resolve => setTimeout(resolve, REFILL_MS))
    }
  }

  #take({ type, data, id }: StreamEvent): void {
    const life = id.slice(0, id.lastIndexOf('.'))
    if (type === 'missed') {
      void this.#fillSurely()
      return
    }
    if (life !== this.book.lifeId) {
      this.book.inLife(life)
      this.#unavailable.clear()
      this.#whole = false
    }
    const value = parseJson(data)
    if (type === 'service') {
      const event = readService(value)
      if (!event) return
      const before = this.#awayTold()
      this.#unavailable.take(event)
      if (before !== '' && this.#awayTold() === '') this.#cameBack()
      this.#tell()
      return
    }
    const caption = type === 'caption' ? readCaption(value) : undefined
    if (!caption) return
    const known = this.book.languages.size
    if (!this.book.take(caption)) return
    if (this.book.languages.size > known) this.onLanguages()
    if (caption.final) this.#read(caption.utterance)
    const { standIns = [] } = caption
    const note = standIns.length === 0 ? '' : say('standIns', standIns.join(', '))
    if (caption.final && this.#standIns !== note) {
      this.#standIns = note
      this.#tell()
    }
    this.list.changed()
  }

  #read(utterance: string): void {
    const said = this.book.find(utterance)
    if (!said) return
    this.#aloud.say(speakerName(this.book, said), shownLines(said, this.book.leads(said), this.#preferences))
  }

  #changed(state: StreamState): void {
    if (state !== this.#state) this.#since = performance.now()
    this.#state = state
    // Lets the screen turn off when no more captions will arrive.
    this.#awake.set(this.#preferences.awake && !OVER.has(state))
    if (state === 'again') setTimeout(() => this.#tell(), SHORT_MS)
    if (state === 'refused') this.#options.onRefused()
    this.#tell()
  }

  #awayTold(): string {
    return this.#unavailable.told(this.book, this.#preferences.language)
  }

  #cameBack(): void {
    clearTimeout(this.#back)
    this.#back = setTimeout(() => {
      this.#back = 0
      this.#tell()
    }, BACK_MS)
  }

  #tell(): void {
    const short = say(`short-${this.#state}`)
    const long = worded(`long-${this.#state}`)
    const state = element('state', HTMLParagraphElement)
    if (state.textContent !== short) state.textContent = short
    state.dataset.state = this.#state
    this.#showMoment()
    const text =
      (this.#isShort() || this.#moment() ? '' : this.#state === 'ended' ? this.#summary() : long) ||
      this.#awayTold() ||
      (this.#back === 0 ? '' : say('serviceBack')) ||
      this.#standIns
    const notice = element('notice-text', HTMLParagraphElement)
    if (notice.textContent !== text) notice.textContent = text
    for (const id of ['wait', 'ended-downloads'])
      element(id, HTMLButtonElement).hidden = this.#state !== 'ended'
    this.list.restyle(() => {
      this.#notice.hidden = text === ''
    })
  }

  /** Text of a page without captions. */
  #moment(): readonly [string, string] | undefined {
    const title = worded(`moment-${this.#state}`)
    if (title === '' || !this.#nothingYet || this.#isShort()) return undefined
    return [title, worded(`about-${this.#state}`)]
  }

  /** A page without captions says why, and a page without access offers no tools for them. */
  #showMoment(): void {
    const [title = '', text = ''] = this.#moment() ?? []
    element('moment', HTMLElement).hidden = title === ''
    for (const [id, words] of [
      ['moment-title', title],
      ['moment-text', text],
    ] as const) {
      const one = element(id, HTMLElement)
      if (one.textContent !== words) one.textContent = words
    }
    element('moment-key', HTMLButtonElement).hidden = this.#state !== 'expired'
    element('tools', HTMLElement).hidden = this.#nothingYet && UNREADABLE.has(this.#state)
  }

  #summary(): string {
    return say('ended', this.book.entries.length)
  }

  /** A short disconnection is only shown next to the title, so that the page does not move. */
  #isShort(): boolean {
    return this.#state === 'again' && performance.now() - this.#since < SHORT_MS
  }

  #seen({ following, newer, earlier, empty }: View): void {
    // The list reports it while it is drawn.
    if (empty !== this.#nothingYet) queueMicrotask(() => this.#tell())
    this.#nothingYet = empty
    element('earlier', HTMLButtonElement).hidden =
      !earlier && (this.#whole || this.book.entries.length < FULL_REPLAY)
    const live = element('live', HTMLButtonElement)
    live.hidden = following
    live.textContent = say('toLive', newer)
  }
}

/** Returns the text of a state; '' if it has none. */
function worded(key: string): string {
  return hasWords(key) ? say(key as 'moment-live') : ''
}
