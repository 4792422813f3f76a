import { element } from '../../../pages/page/dom.ts'
import { Activity, type CallFacts, type CaptionProgress, callState } from './call-state.ts'
import { CAPTION_TYPES, type CaptionFormat, captionFile, type KeptCaption } from './caption-file.ts'
import { nameIn } from './my-language.ts'
import { hasWords, say } from './words.ts'

const main = element('talk', HTMLElement)
const side = element('side', HTMLElement)
const now = element('now', HTMLElement)
const notices = element('notices', HTMLElement)
const status = element('status', HTMLElement)
const state = element('state', HTMLElement)
const stateName = element('state-name', HTMLElement)
const stateHint = element('state-hint', HTMLElement)
const more = element('more', HTMLButtonElement)
const speaks = element('speaks', HTMLSelectElement)
const code = element('code-card', HTMLElement)
const mute = element('mute', HTMLButtonElement)
const fix = element('fix', HTMLButtonElement)
const invite = element('invite', HTMLButtonElement)
const after = element('after', HTMLElement)
const afterTitle = element('after-title', HTMLElement)
const summary = element('after-summary', HTMLElement)
const downloads = element('downloads', HTMLElement)

/** All facts except the ones that the view derives. */
export type ShownFacts = Omit<CallFacts, 'playing' | 'translating'>

export interface CallViewOptions {
  /** The final captions so far, with times since the start of the call. */
  readonly captions: () => readonly KeptCaption[]
  /** Requests the microphone again. */
  readonly fixMicrophone: () => void
}

/**
 * The page as a whole: before a call, its choices; during a call, captions, one state and the call controls; after it, a
 * summary and downloads.
 */
export class CallView {
  readonly #options: CallViewOptions
  readonly #activity = new Activity()
  readonly #home = status.nextElementSibling
  #startedAt: number | undefined

  constructor(options: CallViewOptions) {
    this.#options = options
  }

  /** Reacts to its buttons and keys from now on. */
  listen(): void {
    more.addEventListener('click', () => this.#more(!main.hasAttribute('data-more')))
    fix.addEventListener('click', () => this.#options.fixMicrophone())
    for (const button of downloads.querySelectorAll('button'))
      button.addEventListener('click', () => this.#download(button.dataset.format as CaptionFormat))
    addEventListener('keydown', event => this.#key(event))
  }

  /** Shows that a call is starting or has started. */
  begin(): void {
    if (main.dataset.phase === 'call') return
    this.#startedAt = performance.now()
    main.dataset.phase = 'call'
    code.hidden = true
    after.hidden = true
    now.hidden = false
    notices.append(status)
  }

  /**
   * The call is over: the page shows its choices for the next one and, if there was a call (`had`), its summary.
   */
  end(had: boolean): void {
    if (main.dataset.phase !== 'call') return
    main.dataset.phase = had ? 'after' : 'before'
    now.hidden = true
    code.hidden = false
    this.#more(false)
    this.#home?.before(status)
    if (!had) return
    const captions = this.#options.captions()
    const seconds = Math.round((performance.now() - (this.#startedAt ?? performance.now())) / 1_000)
    const duration = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    summary.textContent = say('afterLasted', duration, captions.length)
    downloads.hidden = captions.length === 0
    after.hidden = false
    afterTitle.focus()
  }

  caption(caption: CaptionProgress): void {
    this.#activity.caption(caption, performance.now())
  }

  level(level: number): void {
    this.#activity.level(level, performance.now())
  }

  /** Shows the current state. `silent`: a message next to the state would repeat it, so only screen readers get it. */
  show(facts: ShownFacts, silent: boolean): void {
    const at = performance.now()
    const current = callState({
      ...facts,
      playing: this.#activity.playing(at),
      translating: this.#activity.translating(at),
    })
    notices.classList.toggle('aloud', silent)
    fix.hidden = facts.microphone
    if (state.dataset.now === current) return
    state.dataset.now = current
    stateName.textContent = say(`state-${current}`)
    const hint = `hint-${current}`
    const language = nameIn(speaks.value)
    stateHint.textContent = hasWords(hint) ? say(hint as 'hint-listening', language) : ''
  }

  #more(open: boolean): void {
    main.toggleAttribute('data-more', open)
    more.setAttribute('aria-expanded', String(open))
    const controls = Array.from(side.querySelectorAll<HTMLElement>('select, button, input'))
    // The first ones belong to the summary after a call, which is hidden.
    if (open) controls.find(each => each.checkVisibility())?.focus()
    else if (main.dataset.phase === 'call') more.focus()
  }

  /** M mutes and I invites during a call, but not while typing (WCAG 2.1.4 allows keys without a modifier outside of fields). */
  #key(event: KeyboardEvent): void {
    if (main.dataset.phase !== 'call') return
    if (event.key === 'Escape' && main.hasAttribute('data-more')) this.#more(false)
    const { target, ctrlKey, altKey, metaKey, key } = event
    const typing = target instanceof HTMLInputElement || target instanceof HTMLSelectElement
    if (typing || ctrlKey || altKey || metaKey) return
    if (key === 'm' || key === 'M') mute.click()
    if (key === 'i' || key === 'I') invite.click()
  }

  #download(format: CaptionFormat): void {
    const type = CAPTION_TYPES[format]
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([captionFile(this.#options.captions(), format)], { type }))
    link.download = `${say('captionsFile')}.${format}`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  }
}
