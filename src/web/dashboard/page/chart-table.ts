import { made } from '../../../pages/page/element.ts'

/** The data of a chart as a collapsible table. */
export class ChartTable {
  readonly element = made('details')
  readonly #head: readonly string[]
  readonly #body = made('tbody')
  #rows: readonly (readonly string[])[] = []

  constructor(caption: string, head: readonly string[]) {
    this.#head = head
    const table = made('table')
    const row = made('tr')
    for (const name of head) {
      const cell = made('th', name)
      cell.scope = 'col'
      row.append(cell)
    }
    const top = made('thead')
    top.append(row)
    table.append(made('caption', caption, 'aloud'), top, this.#body)
    const scroll = made('div', '', 'scroll')
    scroll.tabIndex = 0
    scroll.setAttribute('role', 'group')
    scroll.setAttribute('aria-label', caption)
    scroll.append(table)
    this.element.append(made('summary', 'As a table'), scroll)
    this.element.addEventListener('toggle', () => this.#fill())
  }

  /** Newest first. */
  show(rows: readonly (readonly string[])[]): void {
    this.#rows = rows
    this.#fill()
  }

  /** The table is only filled while it is open. */
  #fill(): void {
    if (!this.element.open) return
    this.#body.replaceChildren(
      ...this.#rows.map(cells => {
        const row = made('tr')
        row.append(...this.#head.map((_, at) => made(at === 0 ? 'th' : 'td', cells[at] ?? '')))
        row.querySelector('th')?.setAttribute('scope', 'row')
        return row
      }),
    )
  }
}
