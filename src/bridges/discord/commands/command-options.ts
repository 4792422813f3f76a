/** An option as Discord sends it (Discord: Application Command Interaction Data Option). */
export interface RawOption {
  readonly name: string
  readonly value?: string | number | boolean | undefined
  readonly options?: readonly RawOption[] | undefined
  readonly focused?: boolean | undefined
}

/** Maximum length of text that is read. */
const MOST = 100

/** The options of a subcommand. A value of the wrong type counts as absent. */
export class CommandOptions {
  readonly #options: readonly RawOption[]

  constructor(options: readonly RawOption[] = []) {
    this.#options = options
  }

  text(name: string): string | undefined {
    const value = this.#value(name)
    if (typeof value !== 'string') return undefined
    return value.trim().slice(0, MOST) || undefined
  }

  /** A snowflake. */
  id(name: string): string | undefined {
    const text = this.text(name)
    return text !== undefined && /^\d{1,20}$/.test(text) ? text : undefined
  }

  flag(name: string): boolean | undefined {
    const value = this.#value(name)
    return typeof value === 'boolean' ? value : undefined
  }

  /** Name of the subcommand, in a group of them. */
  get subcommand(): string | undefined {
    return this.#options[0]?.name
  }

  /** The option being typed, and its text so far. */
  get focused(): { readonly name: string; readonly text: string } | undefined {
    const option = this.#options.find(each => each.focused)
    if (typeof option?.value !== 'string') return undefined
    return { name: option.name, text: option.value.slice(0, MOST) }
  }

  #value(name: string): RawOption['value'] {
    return this.#options.find(each => each.name === name)?.value
  }
}
