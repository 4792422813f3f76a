import { element } from '../../../pages/page/element.ts'
import { spokenOf } from '../../../pages/page/offered.ts'
import type { Offer } from '../protocol.ts'
import { deed, onSay, SureButton, sayIn } from './actions.ts'
import type { Api } from './api.ts'
import type { Board } from './board.ts'
import { say } from './format.ts'

/** Actions for a room. */
export class RoomDialog {
  readonly #dialog = element('room', HTMLDialogElement)
  readonly #sayForm = element('room-say', HTMLFormElement)
  readonly #made = element('room-made', HTMLElement)
  readonly #value = element('room-made-value', HTMLInputElement)
  readonly #told = element('room-told', HTMLElement)
  readonly #sure: SureButton
  readonly #api: () => Api
  #offer: Offer = { languages: [], recordings: [] }
  #room = ''

  constructor(api: () => Api) {
    this.#api = api
    onSay(this.#sayForm, (text, language) =>
      deed(this.#told, 'Sent.', () => this.#ask('POST', '/say', { text, language })),
    )
    element('room-link', HTMLButtonElement).addEventListener('click', () => void this.#link())
    element('room-code', HTMLButtonElement).addEventListener('click', () => void this.#code())
    element('room-copy', HTMLButtonElement).addEventListener('click', () => void this.#copy())
    this.#sure = new SureButton(element('room-end', HTMLButtonElement), 'Confirm end', () => {
      const goodbye = element('room-goodbye', HTMLInputElement).checked
      void deed(this.#told, 'Ending.', () => this.#ask('DELETE', goodbye ? '?goodbye=true' : ''))
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
    say(element('room-title', HTMLElement), room)
    const first = Array.from(board.legs.values()).find(({ figures }) => figures.room === room)
    sayIn(this.#sayForm, spokenOf(this.#offer), first?.figures.speaks ?? 'en-us')
    this.#dialog.showModal()
  }

  /** Closes when the room has ended. */
  follow(board: Board): void {
    if (this.#dialog.open && !board.rooms.has(this.#room)) this.#dialog.close()
  }

  #ask(method: string, path: string, body?: object): Promise<unknown> {
    return this.#api().ask(method, `/v1/rooms/${encodeURIComponent(this.#room)}${path}`, body)
  }

  async #link(): Promise<void> {
    await deed(this.#told, 'Valid for one hour for anyone with the link.', async () => {
      const { token } = (await this.#ask('POST', '/captions/link', {})) as { token: string }
      // Browsers do not send the part after `#`.
      const path = `/captions/${encodeURIComponent(this.#room)}#token=${token}`
      this.#show('Captions of this room', new URL(path, location.href).href)
    })
  }

  async #code(): Promise<void> {
    await deed(this.#told, 'Valid for one hour.', async () => {
      const { code } = (await this.#ask('POST', '/codes', {})) as { code: string }
      this.#show('Code to join by phone', code)
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
