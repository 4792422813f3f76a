import { element } from '../../../pages/page/dom.ts'
import { accessOf, forgetKey, fragment, storeKey } from '../../captions/page/access.ts'
import { say } from './format.ts'

/** The form for the key, which is kept for this tab and never in an address. */
export class KeyForm {
  readonly #section = element('login', HTMLElement)
  readonly #field = element('key', HTMLInputElement)
  readonly #problem = element('login-problem', HTMLElement)

  constructor(enter: (key: string) => void) {
    element('login-form', HTMLFormElement).addEventListener('submit', event => {
      event.preventDefault()
      const key = this.#field.value.trim()
      this.#field.value = ''
      if (key === '') return
      storeKey(key)
      enter(key)
    })
  }

  /** Returns the key from the address, which is then cleaned, or the key typed in before. */
  static key(): string | undefined {
    const access = accessOf(fragment(location.hash))
    if (location.hash !== '') history.replaceState(null, '', location.pathname)
    return access?.kind === 'key' ? access.secret : undefined
  }

  open(problem: string): void {
    forgetKey()
    say(this.#problem, problem)
    this.#section.hidden = false
    element('login-form', HTMLElement).hidden = false
    this.#field.focus()
  }

  /** No key would be accepted. */
  closed(): void {
    this.open('The dashboard is disabled, because the settings of this server have no key.')
    element('login-form', HTMLElement).hidden = true
  }

  hide(): void {
    this.#section.hidden = true
    say(this.#problem, '')
  }
}
