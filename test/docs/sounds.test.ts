import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { NOTICES } from '../../src/core/model/announcer.ts'
import { NOTICES as ENGLISH } from '../../src/messages/en/notices.ts'

const page = readFileSync(new URL('../../docs/guides/during-a-call.md', import.meta.url), 'utf8')

it.each(NOTICES)('docs/guides/during-a-call.md contains the text of %s', notice => {
  expect(page).toContain(`| \`${notice}\` | ${ENGLISH.notices[notice]} |`)
})
