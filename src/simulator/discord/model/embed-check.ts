import { isJson, type Json, stringIn } from '../json.ts'
import type { FormCheck } from '../rest/form-check.ts'

/** Discord: Embed Limits. */
const MOST = {
  title: 256,
  description: 4_096,
  fields: 25,
  name: 256,
  value: 1_024,
  footer: 2_048,
  author: 256,
}
const MOST_TOGETHER = 6_000

/** Adds the faults of a message's embeds to `check`. */
export function checkEmbeds(embeds: readonly unknown[], check: FormCheck): void {
  let total = 0
  for (const [at, embed] of embeds.entries()) {
    const path = ['embeds', at]
    if (!isJson(embed)) {
      check.notAnObject(path)
      continue
    }
    total += checkEmbed(embed, path, check)
  }
  if (total > MOST_TOGETHER)
    check.fault(['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${MOST_TOGETHER}`)
}

/** Number of characters of the embed, as counted for the total limit. */
function checkEmbed(embed: Json, path: readonly (string | number)[], check: FormCheck): number {
  let total = 0
  const count = (text: string | undefined) => {
    total += text?.length ?? 0
  }
  count(check.text(embed, 'title', path, { most: MOST.title }))
  count(check.text(embed, 'description', path, { most: MOST.description }))
  if (isJson(embed.footer))
    count(check.text(embed.footer, 'text', [...path, 'footer'], { most: MOST.footer, required: true }))
  if (isJson(embed.author))
    count(check.text(embed.author, 'name', [...path, 'author'], { most: MOST.author, required: true }))
  for (const [at, field] of (check.list(embed, 'fields', path, MOST.fields) ?? []).entries()) {
    const here = [...path, 'fields', at]
    if (!isJson(field)) {
      check.notAnObject(here)
      continue
    }
    count(check.text(field, 'name', here, { least: 1, most: MOST.name, required: true }))
    count(check.text(field, 'value', here, { least: 1, most: MOST.value, required: true }))
  }
  checkColor(embed, path, check)
  checkUrl(embed, path, check)
  return total
}

function checkColor({ color }: Json, path: readonly (string | number)[], check: FormCheck): void {
  if (color === undefined || color === null) return
  const here = [...path, 'color']
  if (typeof color !== 'number' || !Number.isInteger(color))
    check.fault(here, 'NUMBER_TYPE_COERCE', `Value "${String(color)}" is not int.`)
  else if (color < 0 || color > 0xffffff)
    check.fault(here, 'NUMBER_TYPE_MAX', 'int value should be less than or equal to 16777215.')
}

function checkUrl(embed: Json, path: readonly (string | number)[], check: FormCheck): void {
  const url = stringIn(embed, 'url')
  if (url !== undefined && !/^(https?|attachment):\/\//.test(url))
    check.fault([...path, 'url'], 'URL_TYPE_INVALID_URL', 'Not a well formed URL.')
}
