import { expect, test } from 'vitest'
import type { LanguageId } from '../../../src/common/language.ts'
import { type Party, type Route, RouteGroups, routesOf } from '../../../src/core/room/routing.ts'

const LANGUAGES = ['en-us', 'es-es', 'de-de', 'fr-fr']

test('grouping does not change the routes, including caption readers and shared spaces', () => {
  const parties = Array.from({ length: 40 }, (_, n): Party => {
    const language = LANGUAGES[n % 4]! as LanguageId
    const state = { speaks: language, hears: language, interpreting: n % 11 !== 3 }
    return { id: `p${n}`, echo: true, state, ...takes(n), ...(n % 9 === 4 ? { sharedSpace: 'desk' } : {}) }
  })
  const key = ({ speaker }: Route, to: LanguageId) => `${speaker} ${to}`
  const routes = routesOf(parties)
  const groups = new RouteGroups(routes, key)
  for (const { id } of parties) {
    const heard = routes.filter(({ listener, reads }) => listener === id && !reads)
    expect(groups.toListener(id).map(({ route }) => route)).toEqual(heard)
    expect(groups.toListener(id).map(each => each.key)).toEqual(
      heard.map(route => (route.to === undefined ? undefined : key(route, route.to))),
    )
    expect(groups.fromSpeaker(id)).toEqual(
      routes.filter(({ speaker, reads, together }) => speaker === id && !reads && !together),
    )
  }
  for (const [name, { speaker, to, listeners }] of groups.translations)
    expect([name, [...listeners]]).toEqual([
      `${speaker} ${to}`,
      routes.filter(route => route.speaker === speaker && route.to === to).map(({ listener }) => listener),
    ])
  expect(groups.translations.size).toBeGreaterThan(100)
})

const takes = (n: number) => (n % 10 === 9 ? ({ receives: 'captions' } as const) : {})
