import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

/** A file that a page saves. */
export interface SavedFile {
  readonly name: string
  readonly text: string
}

/** Keeps what the page saves next, in `saved`. */
const KEEP = `(() => {
  const { createObjectURL } = URL
  const { click } = HTMLAnchorElement.prototype
  let blob
  URL.createObjectURL = of => createObjectURL((blob = of))
  globalThis.saved = new Promise(resolve => {
    HTMLAnchorElement.prototype.click = function () {
      URL.createObjectURL = createObjectURL
      HTMLAnchorElement.prototype.click = click
      blob.text().then(text => resolve({ name: this.download, text }))
    }
  })
})()`

/** The file that the page saves when `press` is called. Firefox ESR 140 reports no downloads: there it is what the link holds. */
export async function savedFile(page: Page, press: () => Promise<void>): Promise<SavedFile> {
  if (page.context().browser()?.browserType().name() === 'firefox') {
    await page.evaluate(KEEP)
    await press()
    return await page.evaluate<SavedFile>('saved')
  }
  const [saved] = await Promise.all([page.waitForEvent('download'), press()])
  return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), 'utf8') }
}
