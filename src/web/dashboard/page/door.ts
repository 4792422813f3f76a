import { element } from '../../../pages/page/element.ts'
import { accessOf, forgetKey, fragment, storeKey } from '../../captions/page/access.ts'
import { say } from './words.ts'

/** Where a key is typed in. It is kept for this tab, and in no address. */
export class Door {
  readonly #section = element('door', HTMLElement)
  readonly #field = element('key', HTMLInputElement)
  readonly #problem = element('door-problem', HTMLElement)

  constructor(enter: (key: string) => void) {
    element('door-form', HTMLFormElement).addEventListener('submit', event => {
      event.preventDefault()
      const key = this.#field.value.trim()
      this.#field.value = ''
      if (key === '') return
      storeKey(key)
      enter(key)
    })
  }

  /** The key that came in the address, which has it no more, or that was typed in before. */
  static key(): string | undefined {
    const access = accessOf(fragment(location.hash))
    if (location.hash !== '') history.replaceState(null, '', location.pathname)
    return access?.kind === 'key' ? access.secret : undefined
  }

  open(problem: string): void {
    forgetKey()
    say(this.#problem, problem)
    this.#section.hidden = false
    element('door-form', HTMLElement).hidden = false
    this.#field.focus()
  }

  /** There is no key that would be right. */
  closed(): void {
    this.open('This server has no key in its settings, so its dashboard is closed.')
    element('door-form', HTMLElement).hidden = true
  }

  hide(): void {
    this.#section.hidden = true
    say(this.#problem, '')
  }
}
