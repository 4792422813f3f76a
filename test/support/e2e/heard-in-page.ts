import type { Page } from 'playwright-core'

/** Sample rate of the simulated phones’ output. */
export const HEARD_RATE = 8_000

/** State of the test inside the page. */
interface Window {
  played?: number[][]
}

/** Records every sample that the page plays through buffers, from its next document on. */
export async function keepWhatIsPlayed(page: Page): Promise<void> {
  await page.addInitScript(`
    const start = AudioBufferSourceNode.prototype.start
    globalThis.played = []
    AudioBufferSourceNode.prototype.start = function (...when) {
      globalThis.played.push(Array.from(this.buffer.getChannelData(0)))
      return start.apply(this, when)
    }`)
}

/** Audio played since the last call, 16 bit. */
export async function takeWhatWasPlayed(page: Page): Promise<Int16Array> {
  const pieces = await page.evaluate(() => {
    const { played = [] } = globalThis as Window
    return played.splice(0)
  })
  return Int16Array.from(pieces.flat(), sample => Math.round(sample * 32_767))
}
