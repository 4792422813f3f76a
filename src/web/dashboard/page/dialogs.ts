import { element, fillLanguages, made } from '../../../pages/page/dom.ts'
import { hearableOf, heardOf, shortLanguageName, spokenOf } from '../../../pages/page/languages.ts'
import type { LegFigures, Offer } from '../protocol.ts'
import { type Api, troubleOf } from './api.ts'
import type { Board } from './board.ts'
import { participantName } from './figures.ts'
import { duration, many, say } from './format.ts'
import { channelOf } from './participant-row.ts'

/** Runs an action and shows its result in `place`. Resolves to true on success. */
async function runAction(place: HTMLElement, done: string, work: () => Promise<unknown>): Promise<boolean> {
  place.classList.remove('bad')
  say(place, '…')
  try {
    await work()
    say(place, done)
    return true
  } catch (error) {
    place.classList.add('bad')
    say(place, `Failed: ${troubleOf(error)}`)
    return false
  }
}

/** Time in which an irreversible action can be confirmed (ms). */
const CONFIRM_MS = 5_000

/** A button that asks for confirmation before an irreversible action. */
class ConfirmButton {
  readonly #button: HTMLButtonElement
  readonly #words: string
  #asked = false
  #timer = 0

  constructor(button: HTMLButtonElement, sure: string, run: () => void) {
    this.#button = button
    this.#words = button.textContent ?? ''
    button.addEventListener('click', () => {
      if (this.#asked) {
        this.reset()
        run()
        return
      }
      this.#asked = true
      say(button, sure)
      this.#timer = setTimeout(() => this.reset(), CONFIRM_MS)
    })
  }

  reset(): void {
    clearTimeout(this.#timer)
    this.#asked = false
    say(this.#button, this.#words)
  }
}

/** Calls `send` with the text and language of a form when it is submitted. */
function onSay(form: HTMLFormElement, send: (text: string, language: string) => Promise<boolean>): void {
  form.addEventListener('submit', event => {
    event.preventDefault()
    const data = new FormData(form)
    void send(String(data.get('text')), String(data.get('language'))).then(sent => {
      const field = form.elements.namedItem('text')
      if (sent && field instanceof HTMLInputElement) field.value = ''
    })
  })
}

/** Fills the language list of such a form. */
function sayIn(form: HTMLFormElement, languages: readonly string[], wanted: string): void {
  const select = form.elements.namedItem('language')
  if (!(select instanceof HTMLSelectElement)) return
  const all = languages.includes(wanted) ? languages : [wanted, ...languages]
  select.replaceChildren(
    ...all.map(id => {
      const one = made('option', shortLanguageName(id, all))
      one.value = id
      return one
    }),
  )
  select.value = wanted
}

/** State and actions of a leg. Changes apply immediately. */
export class LegDialog {
  readonly #dialog = element('leg', HTMLDialogElement)
  readonly #speaks = element('leg-speaks', HTMLSelectElement)
  readonly #hears = element('leg-hears', HTMLSelectElement)
  readonly #original = element('leg-original', HTMLSelectElement)
  readonly #muted = element('leg-muted', HTMLInputElement)
  readonly #interpreting = element('leg-interpreting', HTMLInputElement)
  readonly #sayForm = element('leg-say', HTMLFormElement)
  readonly #told = element('leg-told', HTMLElement)
  readonly #sure: ConfirmButton
  readonly #api: () => Api
  #offer: Offer = { languages: [], recordings: [] }
  #shown: LegFigures | undefined

  constructor(api: () => Api) {
    this.#api = api
    this.#speaks.addEventListener('change', () => this.#change({ speaks: this.#speaks.value || null }))
    this.#hears.addEventListener('change', () => this.#change({ hears: this.#hears.value || null }))
    this.#original.addEventListener('change', () => this.#change({ original: this.#original.value }))
    this.#muted.addEventListener('change', () => this.#change({ muted: this.#muted.checked }))
    this.#interpreting.addEventListener('change', () =>
      this.#change({ interpreting: this.#interpreting.checked }),
    )
    onSay(this.#sayForm, (text, language) => {
      const { room, id } = this.#shown!
      const path = `/v1/rooms/${encodeURIComponent(room)}/say`
      return runAction(this.#told, 'Sent.', () => this.#api().ask('POST', path, { text, language, to: [id] }))
    })
    this.#sure = new ConfirmButton(element('leg-hang-up', HTMLButtonElement), 'Confirm hang-up', () => {
      void runAction(this.#told, 'Hung up.', () => this.#api().ask('DELETE', this.#path)).then(
        done => done && this.#dialog.close(),
      )
    })
  }

  offer(offer: Offer): void {
    this.#offer = offer
  }

  open(figures: LegFigures): void {
    this.#shown = undefined
    this.#sure.reset()
    say(this.#told, '')
    sayIn(this.#sayForm, spokenOf(this.#offer), figures.hears ?? figures.speaks ?? 'en-us')
    this.#show(figures)
    this.#dialog.showModal()
    element('leg-title', HTMLElement).focus()
  }

  /** Shows the current state; closes when the leg is gone. */
  follow(board: Board): void {
    const shown = this.#shown
    if (!this.#dialog.open || !shown) return
    const leg = board.legs.get(shown.n)
    if (!leg) this.#dialog.close()
    else if (leg.figures !== shown) this.#show(leg.figures)
  }

  get #path(): string {
    return `/v1/participants/${encodeURIComponent(this.#shown!.id)}`
  }

  #show(figures: LegFigures): void {
    const { id, room, speaks, hears, lost, returns } = figures
    const before = this.#shown
    this.#shown = figures
    say(element('leg-title', HTMLElement), participantName(figures))
    say(element('leg-about', HTMLElement), `${channelOf(figures)} · ${room} · ${id}`)
    say(
      element('leg-line', HTMLElement),
      lost.line + lost.service + returns === 0
        ? 'No audio was lost.'
        : `${many(lost.line, 'frame')} lost on the line, ${lost.service} on the way to the service · ${many(returns, 'reconnect')}`,
    )
    // Does not refill a list that the user has open.
    if (before?.speaks !== speaks || !before)
      fillLanguages(this.#speaks, heardOf(this.#offer), speaks ?? '', 'nothing: they only listen')
    if (before?.hears !== hears || !before)
      fillLanguages(this.#hears, hearableOf(this.#offer), hears ?? '', 'originals only')
    this.#original.value = figures.original
    this.#muted.checked = figures.muted
    this.#interpreting.checked = figures.interpreting
  }

  #change(change: object): void {
    const before = this.#shown
    void runAction(this.#told, 'Changed.', () => this.#api().ask('PATCH', this.#path, change)).then(done => {
      if (done || !before) return
      // Shows the current state again.
      this.#shown = undefined
      this.#show(before)
    })
  }
}

/** Width from which the details of a room are shown next to the rooms, as in the style sheet. */
const BESIDE = '(min-width: 75rem)'

/** Details of a room, and its actions. */
export class RoomDialog {
  readonly #dialog = element('room', HTMLDialogElement)
  readonly #sayForm = element('room-say', HTMLFormElement)
  readonly #made = element('room-made', HTMLElement)
  readonly #value = element('room-made-value', HTMLInputElement)
  readonly #told = element('room-told', HTMLElement)
  readonly #sure: ConfirmButton
  readonly #api: () => Api
  #offer: Offer = { languages: [], recordings: [] }
  #room = ''

  /** `closed` is called when the details close. */
  constructor(api: () => Api, closed: () => void) {
    this.#api = api
    onSay(this.#sayForm, (text, language) =>
      runAction(this.#told, 'Sent.', () => this.#ask('POST', '/say', { text, language })),
    )
    element('room-link', HTMLButtonElement).addEventListener('click', () => void this.#link())
    element('room-code', HTMLButtonElement).addEventListener('click', () => void this.#code())
    element('room-copy', HTMLButtonElement).addEventListener('click', () => void this.#copy())
    this.#dialog.addEventListener('keydown', ({ key }) => key === 'Escape' && this.#dialog.close())
    this.#dialog.addEventListener('close', closed)
    this.#sure = new ConfirmButton(element('room-end', HTMLButtonElement), 'Confirm end', () => {
      const goodbye = element('room-goodbye', HTMLInputElement).checked
      void runAction(this.#told, 'Ending.', () => this.#ask('DELETE', goodbye ? '?goodbye=true' : ''))
    })
  }

  offer(offer: Offer): void {
    this.#offer = offer
  }

  open(room: string, board: Board): void {
    this.#room = room
    this.#sure.reset()
    this.#made.hidden = true
    say(this.#told, '')
    this.#about(board)
    say(element('room-title', HTMLElement), room)
    const first = Array.from(board.legs.values()).find(({ figures }) => figures.room === room)
    sayIn(this.#sayForm, spokenOf(this.#offer), first?.figures.speaks ?? 'en-us')
    this.#dialog.close()
    // Next to the rooms where there is space, above them elsewhere.
    if (matchMedia(BESIDE).matches) this.#dialog.show()
    else this.#dialog.showModal()
    element('room-title', HTMLElement).focus()
  }

  /** The room whose details are open. */
  get opened(): string | undefined {
    return this.#dialog.open ? this.#room : undefined
  }

  /** Closes when the room has ended. */
  follow(board: Board): void {
    if (!this.#dialog.open) return
    if (board.rooms.has(this.#room)) this.#about(board)
    else this.#dialog.close()
  }

  #about(board: Board): void {
    const room = board.rooms.get(this.#room)
    const legs = Array.from(board.legs.values()).filter(({ figures }) => figures.room === this.#room)
    const time = room ? ` · ${duration(board.at - room.since)}` : ''
    say(element('room-about', HTMLElement), many(legs.length, 'participant') + time)
  }

  #ask(method: string, path: string, body?: object): Promise<unknown> {
    return this.#api().ask(method, `/v1/rooms/${encodeURIComponent(this.#room)}${path}`, body)
  }

  async #link(): Promise<void> {
    await runAction(this.#told, 'Valid for one hour for anyone with the link.', async () => {
      const { token } = (await this.#ask('POST', '/captions/link', {})) as { token: string }
      // Browsers do not send the part after `#`.
      const path = `/captions/${encodeURIComponent(this.#room)}#token=${token}`
      this.#show('Captions link', new URL(path, location.href).href)
    })
  }

  async #code(): Promise<void> {
    await runAction(this.#told, 'Valid for one hour.', async () => {
      const { code } = (await this.#ask('POST', '/codes', {})) as { code: string }
      this.#show('Phone code', code)
    })
  }

  #show(name: string, value: string): void {
    say(element('room-made-name', HTMLElement), name)
    this.#value.value = value
    this.#made.hidden = false
  }

  async #copy(): Promise<void> {
    this.#value.select()
    await navigator.clipboard.writeText(this.#value.value).then(
      () => say(this.#told, 'Copied.'),
      () => say(this.#told, 'Selected. Press Ctrl+C.'),
    )
  }
}
