import { hearableOf, heardOf, spokenOf } from '../../../pages/page/languages.ts'
import type { Offer, ParticipantView } from '../state.ts'
import { type Api, troubleOf } from './api.ts'
import { duration, many, shortly } from './format.ts'
import { channelName } from './names.ts'
import type { PlacedRoom } from './rooms.ts'
import { inputValue, languageSelect } from './simulate.ts'
import { Component, html } from './ui.ts'

/** Time in which an irreversible action can be confirmed (ms). */
const CONFIRM_MS = 5_000

interface ConfirmProps {
  readonly text: string
  readonly sure: string
  readonly run: () => void
}

/** A button that asks for confirmation before an irreversible action. */
class ConfirmButton extends Component<ConfirmProps, { asked: boolean }> {
  override state = { asked: false }
  #timer = 0

  override render({ text, sure }: ConfirmProps, { asked }: { asked: boolean }) {
    return html`<button type="button" class="danger" onClick=${() => this.#press()}>${asked ? sure : text}</button>`
  }

  override componentWillUnmount() {
    clearTimeout(this.#timer)
  }

  #press(): void {
    clearTimeout(this.#timer)
    if (this.state.asked) this.props.run()
    else this.#timer = setTimeout(() => this.setState({ asked: false }), CONFIRM_MS)
    this.setState({ asked: !this.state.asked })
  }
}

interface Common {
  readonly api: Api
  readonly offer: Offer
  readonly close: () => void
}

interface Told {
  readonly told: string
  readonly failed: boolean
  /** A link or a code that was created. */
  readonly made: { readonly name: string; readonly value: string } | undefined
  readonly text: string
  readonly language: string
  readonly goodbye: boolean
}

/** A modal dialog with actions, each of which reports its result, and a message to speak. */
abstract class ActionDialog<P extends Common> extends Component<P, Told> {
  override state: Told = { told: '', failed: false, made: undefined, text: '', language: '', goodbye: true }

  protected dialog(id: string, title: string, about: string, content: unknown) {
    const { told, failed } = this.state
    const { close } = this.props
    return html`
      <dialog id=${id} class="card sheet" aria-labelledby="${id}-title" onClose=${close}
        ref=${(one: HTMLDialogElement | null) => one && !one.open && one.showModal()}>
        <div class="head"><h2 id="${id}-title" tabindex="-1" autofocus>${title}</h2>
          <button type="button" class="small" onClick=${({ currentTarget }: Event) => (currentTarget as Element).closest('dialog')?.close()}>Close<span class="aloud"> ${title}</span></button></div>
        <p class="faint figure">${about}</p>
        ${content}
        <p role="status" class=${failed ? 'bad' : ''}>${told}</p>
      </dialog>
    `
  }

  protected async act(done: string, method: string, path: string, body?: object): Promise<unknown> {
    this.setState({ told: '…', failed: false })
    try {
      const answer = await this.props.api.ask(method, path, body)
      this.setState({ told: done })
      return answer
    } catch (error) {
      this.setState({ told: `Failed: ${troubleOf(error)}`, failed: true })
      return undefined
    }
  }

  /** The form of a message that is spoken to `to`, or to everyone in `room`. */
  protected message(label: string, room: string, usual: string, to?: readonly string[]) {
    const { text, language } = this.state
    const send = async (event: Event) => {
      event.preventDefault()
      const path = `/v1/rooms/${encodeURIComponent(room)}/say`
      const body = { text, language: language || usual, ...(to && { to }) }
      if (await this.act('Sent.', 'POST', path, body)) this.setState({ text: '' })
    }
    return html`
      <form class="stack" onSubmit=${send}>
        <label class="field">${label}
          <input value=${text} maxlength="1000" required onInput=${(event: Event) => this.setState({ text: inputValue(event) })} /></label>
        <div class="row low">
          ${languageSelect('Language', language || usual, spokenOf(this.props.offer), value => this.setState({ language: value }))}
          <button type="submit">Send message</button>
        </div>
      </form>
    `
  }
}

export interface ParticipantDialogProps extends Common {
  readonly participant: ParticipantView
  readonly room: string
}

const ORIGINALS = [
  ['duck', 'Quieter while translated'],
  ['low', 'Quiet'],
  ['off', 'Off'],
] as const

type Changeable = Pick<ParticipantView, 'speaks' | 'hears' | 'original' | 'muted' | 'interpreting'>

/** State and actions of a participant. Changes apply immediately. */
export class ParticipantDialog extends ActionDialog<ParticipantDialogProps> {
  /** By field: its value as the server showed it, and the value that it was given. */
  readonly #changes = new Map<keyof Changeable, { readonly before: unknown; readonly now: unknown }>()

  override render({ participant, room, offer, close }: ParticipantDialogProps) {
    const { id, name, channel, lostMs, reconnections } = participant
    const shown = this.#shown()
    const { speaks, hears, original } = shown
    const path = `/v1/participants/${encodeURIComponent(id)}`
    const change = (body: Partial<Changeable>) => void this.#change(path, body)
    const toggle = (label: string, field: 'muted' | 'interpreting') => html`
      <label class="check"><input type="checkbox" checked=${shown[field]}
        onChange=${({ currentTarget }: Event) => change({ [field]: (currentTarget as HTMLInputElement).checked })} /> ${label}</label>
    `
    const lost =
      lostMs.line + lostMs.service + reconnections === 0
        ? 'No audio was lost.'
        : `${shortly(lostMs.line)} lost on the line, ${shortly(lostMs.service)} on the way to the service · ${many(reconnections, 'reconnect')}`
    return this.dialog(
      'leg',
      name,
      `${channelName(channel)} · ${room} · ${id}`,
      html`
      <div class="pair">
        ${languageSelect('Speaks', speaks ?? '', heardOf(offer), value => change({ speaks: value || null }), 'nothing: they only listen')}
        ${languageSelect('Hears', hears ?? '', hearableOf(offer), value => change({ hears: value || null }), 'originals only')}
        <label class="field">Original voices
          <select value=${original} onChange=${(event: Event) => change({ original: inputValue(event) })}>
            ${ORIGINALS.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
          </select></label>
      </div>
      <div class="row">${toggle('Muted', 'muted')}${toggle('Interpreting', 'interpreting')}</div>
      ${this.message('Message, spoken to this participant', room, hears ?? speaks ?? 'en-us', [id])}
      <p class="faint figure">${lost}</p>
      <div class="row"><${ConfirmButton} text="Hang up" sure="Confirm hang-up"
        run=${async () => (await this.act('Hung up.', 'DELETE', path)) && close()} /></div>
    `,
    )
  }

  /** The participant with the changes that the server has not shown yet. */
  #shown(): ParticipantView {
    const { participant } = this.props
    const changes = Array.from(this.#changes).filter(([field, { before }]) => participant[field] === before)
    return { ...participant, ...Object.fromEntries(changes.map(([field, { now }]) => [field, now])) }
  }

  async #change(path: string, body: Partial<Changeable>): Promise<void> {
    const { participant } = this.props
    for (const field of Object.keys(body) as (keyof Changeable)[])
      this.#changes.set(field, { before: participant[field], now: body[field] })
    if ((await this.act('Changed.', 'PATCH', path, body)) !== undefined) return
    this.#changes.clear()
    this.setState({})
  }
}

export interface RoomDialogProps extends Common {
  readonly room: PlacedRoom
  /** Server time (ms since 1970). */
  readonly at: number
}

/** Actions for a room. */
export class RoomDialog extends ActionDialog<RoomDialogProps> {
  override render({ room, at }: RoomDialogProps, { made, goodbye }: Told) {
    const { name, participants, since } = room
    const path = `/v1/rooms/${encodeURIComponent(name)}`
    const about = `${many(participants.length, 'participant')} · ${duration(at - since)}`
    return this.dialog(
      'room',
      name,
      about,
      html`
      <div class="row">
        <button type="button" onClick=${() => this.#link(path)}>Captions link</button>
        <button type="button" onClick=${() => this.#code(path)}>Phone code</button>
        <a class="button" href=${`/captions/${encodeURIComponent(name)}`}>Captions</a>
      </div>
      ${made && html`<label class="field">${made.name}<input readonly value=${made.value} onFocus=${({ currentTarget }: Event) => (currentTarget as HTMLInputElement).select()} /></label>`}
      ${this.message('Message, spoken to everyone', name, participants[0]?.speaks ?? 'en-us')}
      <div class="row">
        <${ConfirmButton} text="End room" sure="Confirm end" run=${() => void this.act('Ending.', 'DELETE', goodbye ? `${path}?goodbye=true` : path)} />
        <label class="check"><input type="checkbox" checked=${goodbye} onChange=${() => this.setState({ goodbye: !goodbye })} /> Play a goodbye first</label>
      </div>
    `,
    )
  }

  async #link(path: string): Promise<void> {
    const answer = await this.act(
      'Valid for one hour for anyone with the link.',
      'POST',
      `${path}/captions/link`,
      {},
    )
    if (!answer) return
    // Browsers do not send the part after `#`.
    const address = `/captions/${encodeURIComponent(this.props.room.name)}#token=${(answer as { token: string }).token}`
    this.setState({ made: { name: 'Captions link', value: new URL(address, location.href).href } })
  }

  async #code(path: string): Promise<void> {
    const answer = await this.act('Valid for one hour.', 'POST', `${path}/codes`, {})
    if (answer) this.setState({ made: { name: 'Phone code', value: (answer as { code: string }).code } })
  }
}
