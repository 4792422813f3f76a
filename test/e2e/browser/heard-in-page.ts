import type { Page } from 'playwright-core'

/** Samples a second of what simulated phones hear. */
export const HEARD_RATE = 8_000

/** What the test's side of the page holds. */
interface Window {
  played?: number[][]
}

/** Keeps every sample that the page gives to the loudspeakers by buffers, from its next document on. */
export async function keepWhatIsPlayed(page: Page): Promise<void> {
  await page.addInitScript(`
    const start = AudioBufferSourceNode.prototype.start
    globalThis.played = []
    AudioBufferSourceNode.prototype.start = function (...when) {
      globalThis.played.push(Array.from(this.buffer.getChannelData(0)))
      return start.apply(this, when)
    }`)
}

/** What was played since the last time, 16 bit. */
export async function takeWhatWasPlayed(page: Page): Promise<Int16Array> {
  const pieces = await page.evaluate(() => {
    const { played = [] } = globalThis as Window
    return played.splice(0)
  })
  return Int16Array.from(pieces.flat(), sample => Math.round(sample * 32_767))
}
