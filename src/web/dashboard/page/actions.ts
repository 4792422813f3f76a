import { made } from '../../../pages/page/dom.ts'
import { troubleOf } from './api.ts'
import { say } from './format.ts'

/** Runs an action and shows its result in `place`. Resolves to true on success. */
export async function runAction(
  place: HTMLElement,
  done: string,
  work: () => Promise<unknown>,
): Promise<boolean> {
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

/** A button that asks for confirmation before an irreversible action. */
export class ConfirmButton {
  readonly #button: HTMLButtonElement
  readonly #words: string
  #asked = false

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
    })
    button.addEventListener('blur', () => this.reset())
  }

  reset(): void {
    this.#asked = false
    say(this.#button, this.#words)
  }
}

/** Calls `send` with the text and language of a form when it is submitted. */
export function onSay(
  form: HTMLFormElement,
  send: (text: string, language: string) => Promise<boolean>,
): void {
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
export function sayIn(form: HTMLFormElement, languages: readonly string[], wanted: string): void {
  const select = form.elements.namedItem('language')
  if (!(select instanceof HTMLSelectElement)) return
  const all = languages.includes(wanted) ? languages : [wanted, ...languages]
  select.replaceChildren(...all.map(id => made('option', id)))
  select.value = wanted
}
