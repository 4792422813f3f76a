import { hearableOf, heardOf, shortLanguageName } from '../../../pages/page/languages.ts'
import type { Offer, SimulatedCallView, SimulatedOrder } from '../state.ts'
import { type Api, troubleOf } from './api.ts'
import { duration } from './format.ts'
import { Component, html } from './ui.ts'

/** The value of an element that has changed. */
export function inputValue({ currentTarget }: Event): string {
  return (currentTarget as HTMLInputElement | HTMLSelectElement).value
}

/** A list of languages; `value` is selected, and included even if it is not offered. */
export function languageSelect(
  label: string,
  value: string,
  languages: readonly string[],
  change: (value: string) => void,
  none?: string,
) {
  const all = value === '' || languages.includes(value) ? languages : [value, ...languages]
  return html`
    <label class="field">${label}
      <select value=${value} onChange=${(event: Event) => change(inputValue(event))}>
        ${none !== undefined && html`<option value="">${none}</option>`}
        ${all.map(id => html`<option key=${id} value=${id}>${shortLanguageName(id, all)}</option>`)}
      </select>
    </label>
  `
}

interface Phone {
  readonly speaks: string
  readonly hears: string
  readonly recording: string
}

interface SimulateState {
  readonly phones: readonly Phone[]
  readonly busy: boolean
  readonly problem: string
}

export interface SimulateProps {
  readonly api: Api
  readonly offer: Offer
  readonly calls: readonly SimulatedCallView[]
  /** Server time (ms since 1970). */
  readonly at: number
  readonly open: boolean
}

/** Starts simulated calls, and shows those in progress. */
export class Simulate extends Component<SimulateProps, SimulateState> {
  override state: SimulateState = { phones: this.#phones(1), busy: false, problem: '' }

  override render({ offer, open }: SimulateProps, { phones, busy, problem }: SimulateState) {
    if (offer.recordings.length === 0) return null
    return html`
      <details class="card" id="tool" open=${open}>
        <summary><b>Simulated calls</b> <span class="faint">A test tool. Simulated phones play recordings in real calls to this server.</span></summary>
        <ul class="calls" aria-label="Simulated calls now">${this.props.calls.map(call => this.#call(call))}</ul>
        <form class="stack" id="simulate" onSubmit=${(event: Event) => this.#send(event)}>
          <fieldset><legend>Phones</legend>
            ${[1, 2].map(
              count => html`<label class="check"><input type="radio" name="phones" checked=${phones.length === count}
                onChange=${() => this.setState({ phones: this.#phones(count) })} /> ${count === 1 ? 'One, hears its own translation' : 'Two, talk to each other'}</label>`,
            )}
          </fieldset>
          <div class="phones">${phones.map((_, at) => this.#fields(at))}</div>
          <div><button type="submit" class="main" disabled=${busy}>Start simulated call</button></div>
          <p class="bad" role="alert">${problem}</p>
        </form>
      </details>
    `
  }

  /** What the phones say and hear at first: two different recordings, and languages foreign to each other. */
  #phones(count: number): Phone[] {
    const { recordings } = this.props.offer
    const language = recordings[0]?.language ?? 'en-us'
    const hearable = hearableOf(this.props.offer, language)
    const foreign = hearable.find(id => id === 'es-es') ?? hearable.find(id => id !== language) ?? language
    return Array.from({ length: count }, (_, at) => ({
      speaks: language,
      hears: count === 2 && at === 0 ? language : foreign,
      recording: recordings[Math.min(recordings.length - 1, 3 - at)]?.id ?? '',
    }))
  }

  /** Changes a phone. Each can hear the languages into which its speaker is translated: the other phone, or itself. */
  #change(at: number, change: Partial<Phone>): void {
    const changed = this.state.phones.map((phone, n) => (n === at ? { ...phone, ...change } : phone))
    const phones = changed.map((phone, n) => {
      const speaks = changed[changed.length - 1 - n]?.speaks
      const hearable = hearableOf(this.props.offer, speaks || undefined)
      const hears = hearable.includes(phone.hears) ? phone.hears : hearable.find(id => id !== speaks)
      return { ...phone, hears: hears ?? phone.hears }
    })
    this.setState({ phones })
  }

  #fields(at: number) {
    const { offer } = this.props
    const { phones } = this.state
    const { speaks, hears, recording } = phones[at]!
    const heard = hearableOf(offer, phones[phones.length - 1 - at]?.speaks || undefined)
    return html`
      <fieldset key=${at}><legend>${phones.length === 1 ? 'The phone' : at === 0 ? 'First phone' : 'Second phone'}</legend>
        <label class="field">Says
          <select value=${recording} onChange=${(event: Event) => this.#change(at, { recording: inputValue(event) })}>
            ${offer.recordings.map(({ id, title, seconds }) => html`<option key=${id} value=${id}>${title} (${seconds} s)</option>`)}
          </select>
        </label>
        ${languageSelect('In', speaks, heardOf(offer), value => this.#change(at, { speaks: value }), 'nothing: it only listens')}
        ${languageSelect('Hears', hears, heard, value => this.#change(at, { hears: value }))}
      </fieldset>
    `
  }

  #call({ id, endsAt }: SimulatedCallView) {
    const { api, at } = this.props
    const hangUp = () =>
      void api
        .ask('DELETE', `/dashboard/calls/${encodeURIComponent(id)}`)
        .catch(error => this.setState({ problem: troubleOf(error) }))
    return html`
      <li key=${id} class="row"><b>${id}</b> <span class="faint figure">${duration(endsAt - at)} left</span>
        <button type="button" class="danger small" aria-label=${`Hang up ${id}`} onClick=${hangUp}>Hang up</button></li>
    `
  }

  async #send(event: Event): Promise<void> {
    event.preventDefault()
    const phones = this.state.phones.map(phone => ({ ...phone, speaks: phone.speaks || null }))
    this.setState({ busy: true, problem: '' })
    try {
      await this.props.api.ask('POST', '/dashboard/calls', { phones } satisfies SimulatedOrder)
      this.setState({ busy: false })
    } catch (error) {
      this.setState({ busy: false, problem: `No call was started: ${troubleOf(error)}` })
    }
  }
}
