import type { Form } from './form.ts'

const PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1000

/** One page of a list in the format of the 2010 API; `path` with the requested query. */
export function pageJson(
  name: string,
  all: readonly Record<string, unknown>[],
  query: Form,
  path: string,
): Record<string, unknown> {
  const size = Math.min(MAX_PAGE_SIZE, query.whole('PageSize', 1, 999_999, 20001) ?? PAGE_SIZE)
  const page = query.whole('Page', 0, 999_999, 20001) ?? 0
  const start = page * size
  const items = all.slice(start, start + size)
  const uri = (number: number) => {
    const asked = new URLSearchParams(path.split('?')[1] ?? '')
    asked.set('PageSize', String(size))
    asked.set('Page', String(number))
    return `${path.split('?')[0]}?${asked}`
  }
  return {
    first_page_uri: uri(0),
    end: Math.max(0, start + items.length - 1),
    previous_page_uri: page > 0 ? uri(page - 1) : null,
    [name]: items,
    uri: uri(page),
    page_size: size,
    start,
    next_page_uri: start + size < all.length ? uri(page + 1) : null,
    page,
  }
}
