import { isJson, type Json, numberIn, stringIn } from '../json.ts'
import type { FormCheck } from '../rest/form-check.ts'

type Path = readonly (string | number)[]

/** Discord: Component Types. */
const COMPONENT = { row: 1, button: 2, stringSelect: 3 } as const

const LINK = 5
const PREMIUM = 6
const V2 = 32_768
const MENUS: ReadonlySet<number> = new Set([3, 5, 6, 7, 8])
/** Allowed at the top level of a message that declares to consist of components only. */
const V2_TYPES: ReadonlySet<number> = new Set([1, 9, 10, 12, 13, 14, 17])

/** Adds the faults of the components of a message with `flags` to `check`. */
export function checkComponents(body: Json, flags: number, check: FormCheck): void {
  const v2 = (flags & V2) !== 0
  const rows = check.list(body, 'components', [], v2 ? 40 : 5) ?? []
  const ids = new Set<string>()
  for (const [at, row] of rows.entries()) {
    const path = ['components', at]
    if (!isJson(row)) check.notAnObject(path)
    else if (v2 && !V2_TYPES.has(Number(row.type)))
      check.choice([...path, 'type'], row.type, Array.from(V2_TYPES))
    else if (!v2 && row.type !== COMPONENT.row) check.choice([...path, 'type'], row.type, [COMPONENT.row])
    else if (row.type === COMPONENT.row) checkRow(row, path, ids, check)
  }
}

function checkRow(row: Json, path: Path, ids: Set<string>, check: FormCheck): void {
  const parts = check.list(row, 'components', path, 5) ?? []
  if (parts.length === 0) check.length([...path, 'components'], 1, 5)
  const kinds = parts.map(part => (isJson(part) ? Number(part.type) : Number.NaN))
  if (kinds.some(kind => MENUS.has(kind)) && kinds.length > 1)
    check.fault(
      [...path, 'components'],
      'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
      'The specified component exceeds the maximum width',
    )
  for (const [at, part] of parts.entries()) {
    const here = [...path, 'components', at]
    if (!isJson(part)) check.notAnObject(here)
    else if (part.type === COMPONENT.button) checkButton(part, here, ids, check)
    else if (MENUS.has(Number(part.type))) checkMenu(part, here, ids, check)
    else check.choice([...here, 'type'], part.type, [COMPONENT.button, ...MENUS])
  }
}

function checkButton(button: Json, path: Path, ids: Set<string>, check: FormCheck): void {
  const style = numberIn(button, 'style')
  if (style === undefined || !(style >= 1 && style <= PREMIUM))
    return void check.choice([...path, 'style'], button.style, [1, 2, 3, 4, 5, 6])
  check.text(button, 'label', path, { most: 80 })
  if (style === PREMIUM) return
  if (stringIn(button, 'label') === undefined && !isJson(button.emoji))
    check.fault(path, 'BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED', 'A label or an emoji is required')
  if (style === LINK) {
    if (!/^(https?|discord):\/\//.test(stringIn(button, 'url') ?? ''))
      check.fault([...path, 'url'], 'URL_TYPE_INVALID_URL', 'Not a well formed URL.')
    if (button.custom_id !== undefined)
      check.fault(
        path,
        'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
        'A custom id and url cannot both be specified',
      )
  } else checkId(button, path, ids, check)
}

function checkMenu(menu: Json, path: Path, ids: Set<string>, check: FormCheck): void {
  checkId(menu, path, ids, check)
  check.text(menu, 'placeholder', path, { most: 150 })
  if (menu.type !== COMPONENT.stringSelect) return
  const options = check.list(menu, 'options', path, 25) ?? []
  if (options.length === 0) check.length([...path, 'options'], 1, 25)
  for (const [at, option] of options.entries()) {
    const here = [...path, 'options', at]
    if (!isJson(option)) {
      check.notAnObject(here)
      continue
    }
    check.text(option, 'label', here, { least: 1, most: 100, required: true })
    check.text(option, 'value', here, { least: 1, most: 100, required: true })
    check.text(option, 'description', here, { most: 100 })
  }
}

function checkId(part: Json, path: Path, ids: Set<string>, check: FormCheck): void {
  const id = check.text(part, 'custom_id', path, { least: 1, most: 100, required: true })
  if (id === undefined) return
  if (ids.has(id))
    check.fault(
      [...path, 'custom_id'],
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    )
  ids.add(id)
}
