import { describe, expect, onTestFinished, test } from 'vitest'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { FIREFOX_TONE, hasFirefox, startFirefox } from '../../support/browser/browsers.ts'
import { THREE_LANGUAGES } from '../../support/e2e/discord-call-harness.ts'
import { hears, LOUD, longest, soundings } from '../../support/e2e/phone-listener.ts'
import { talkPage } from '../../support/e2e/talk-page.ts'
import { DESK, exchange, say, translated, VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const SAYS_MS = 1_500
const CODE_DESK = { speaks: 'es-es', hears: 'es-es', name: 'Teo', roomCode: true } as const

/** Rates of sound cards (Hz): Firefox connects a microphone only to a context at the rate of the device. */
const CARDS = [48_000, 44_100, 8_000, 96_000, 192_000]

describe.skipIf(!hasFirefox)('the microphone and the speakers in Firefox', { timeout: 180_000 }, () => {
  test.each(CARDS)(
    'at %i Hz, a phone hears the microphone and its translation; the page plays the translated phone',
    async cardHz => {
      const browser = await startFirefox({ cardHz })
      onTestFinished(() => browser.close())
      await using x = await exchange({ number: CODE_DESK, service: THREE_LANGUAGES })
      const address = new URL(x.app.server.listeningOrigin).origin
      const { page, faults, heard } = await talkPage(browser, address)
      // The microphone is a tone without an end, so the page is muted between sentences.
      await page.click('#start')
      await page.getByText('You’re connected').waitFor()
      await page.keyboard.press('m')
      await page.click('#invite')
      await page.locator('#code-shown').waitFor()
      const code = (await page.locator('#code-shown').textContent()) ?? ''
      const phone = await x.caller.dial(DESK)
      await until(() => phone.asking, 15_000, 'the question for the code')
      for (const digit of code.replace(' ', '')) phone.press(digit)
      await page.getByText('Teo, on the phone').waitFor()

      const heardBefore = phone.heard().length
      await page.locator('#mute').focus()
      await page.keyboard.press('m')
      await until(() => hears(phone.heard().subarray(heardBefore), FIREFOX_TONE), 20_000, 'the microphone')
      await page.keyboard.press('m')
      const spanish = translated(FIREFOX_TONE, 'es-es')
      await until(() => hears(phone.heard().subarray(heardBefore), spanish), 20_000, 'its translation')

      await say(phone, VOICE.callee, SAYS_MS)
      const english = translated(VOICE.callee, 'en-us')
      const atPage = async () =>
        createResampler(16_000, 8_000)
          .process(await heard())
          .slice()
      const translation = async () => longest(soundings(await atPage(), english, LOUD))
      await expect
        .poll(async () => (await translation()).toMs - (await translation()).fromMs, { timeout: 20_000 })
        .toBeGreaterThan(SAYS_MS * 0.8)
      // The own voice does not return.
      expect(hears(await atPage(), FIREFOX_TONE)).toBe(false)
      expect(faults).toEqual([])
      await page.context().close()
      await phone.hangUp()
    },
  )
})
