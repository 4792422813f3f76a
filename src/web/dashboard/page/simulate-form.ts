import { element, fillLanguages, made } from '../../../pages/page/dom.ts'
import { hearableOf, heardOf } from '../../../pages/page/languages.ts'
import type { Offer, RecordingView, SimulatedOrder } from '../protocol.ts'
import { type Api, troubleOf } from './api.ts'
import { say } from './format.ts'

interface PhoneFields {
  readonly speaks: HTMLSelectElement
  readonly hears: HTMLSelectElement
  readonly recording: HTMLSelectElement
}

/** The form that configures and places a simulated call. */
export class SimulateForm {
  readonly #form = element('simulate', HTMLFormElement)
  readonly #place = element('phones', HTMLElement)
  readonly #problem = element('simulate-problem', HTMLElement)
  readonly #api: () => Api
  #offer: Offer = { languages: [], recordings: [] }
  #phones: readonly PhoneFields[] = []

  constructor(api: () => Api) {
    this.#api = api
    this.#form.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.name === 'phones') this.#lay()
      else if (this.#phones.some(({ speaks }) => speaks === target)) this.#narrow()
    })
    this.#form.addEventListener('submit', event => {
      event.preventDefault()
      void this.#send()
    })
  }

  offer(offer: Offer): void {
    this.#offer = offer
    this.#form.hidden = offer.recordings.length === 0
    this.#lay()
  }

  #lay(): void {
    const count = Number(new FormData(this.#form).get('phones'))
    const { recordings } = this.#offer
    const fields = Array.from({ length: count }, (_, at) => phoneFields(at, count, this.#offer, recordings))
    this.#phones = fields.map(({ fields: each }) => each)
    this.#place.replaceChildren(...fields.map(({ set }) => set))
    this.#narrow()
  }

  /** Each phone can hear the languages into which its speaker is translated: the other phone, or itself. */
  #narrow(): void {
    for (const [at, { hears }] of this.#phones.entries()) {
      const { speaks } = this.#phones[this.#phones.length - 1 - at]!
      const hearable = hearableOf(this.#offer, speaks.value || undefined)
      const foreign = hearable.find(id => id !== speaks.value) ?? speaks.value
      fillLanguages(hears, hearable, hearable.includes(hears.value) ? hears.value : foreign)
    }
  }

  async #send(): Promise<void> {
    const button = this.#form.querySelector('button')!
    const order: SimulatedOrder = {
      phones: this.#phones.map(({ speaks, hears, recording }) => ({
        speaks: speaks.value === '' ? null : speaks.value,
        hears: hears.value,
        recording: recording.value,
      })),
    }
    button.disabled = true
    say(this.#problem, '')
    try {
      await this.#api().ask('POST', '/dashboard/calls', order)
    } catch (error) {
      say(this.#problem, `No call was started: ${troubleOf(error)}`)
    }
    button.disabled = false
  }
}

function phoneFields(
  at: number,
  count: number,
  offer: Offer,
  recordings: readonly RecordingView[],
): { set: HTMLElement; fields: PhoneFields } {
  const set = made('fieldset')
  set.append(made('legend', count === 1 ? 'The phone' : at === 0 ? 'First phone' : 'Second phone'))
  const both = made('div', '', 'both')
  const add = (name: string, place: HTMLElement) => {
    const label = made('label', `${name} `, 'field')
    const select = made('select')
    label.append(select)
    place.append(label)
    return select
  }
  const fields = { recording: add('Says', set), speaks: add('In', both), hears: add('Hears', both) }
  set.append(both)
  fields.recording.replaceChildren(...recordings.map(optionOf))
  // The second phone speaks a different recording.
  fields.recording.selectedIndex = Math.min(recordings.length - 1, count === 1 ? 3 : at === 0 ? 3 : 2)
  const { language = 'en-us' } = recordings[0] ?? {}
  fillLanguages(fields.speaks, heardOf(offer), language, 'nothing: it only listens')
  const spoken = hearableOf(offer)
  const foreign = spoken.find(id => id === 'es-es') ?? spoken.find(id => id !== language) ?? 'es-es'
  fillLanguages(fields.hears, spoken, count === 2 && at === 0 ? language : foreign)
  return { set, fields }
}

function optionOf({ id, title, seconds }: RecordingView): HTMLOptionElement {
  const one = made('option', `${title} (${seconds} s)`)
  one.value = id
  return one
}
