import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FaultProxy } from '../../../simulator/network/fault-proxy.ts'
import { browserServer } from '../../support/browser/browser-bridge-harness.ts'
import { hasChromium, startChromium } from '../../support/browser/browsers.ts'
import { talkPage, withoutMicrophone } from '../../support/e2e/talk-page.ts'
import { wakeSessions } from '../../support/relay/hello.ts'

/** Longer than the reconnection window, shorter than the timeout of a silent page (ms). */
const LONG_MS = 11_000

const NO_MICROPHONE = withoutMicrophone('NotFoundError')
const KEEPS_MICROPHONE = `
  const { mediaDevices } = navigator
  const ask = mediaDevices.getUserMedia.bind(mediaDevices)
  mediaDevices.getUserMedia = async wanted => (window.microphone = await ask(wanted))
`

describe.skipIf(!hasChromium)('returning to the page after a long time', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('returns to the same room after long, despite a restarting server, and says if the call has ended', async () => {
    let busy = false
    const b = await browserServer({
      publicUrl: 'https://talk.example.com',
      invite: guest => (busy ? { refused: 'busy' } : guest),
    })
    await using proxy = await FaultProxy.listen({ to: b.address })
    const anna = await talkPage(browser, proxy.url, { ear: false, script: NO_MICROPHONE })
    const here = (page: Page) => page.locator('#people li').count()
    await anna.page.click('#start')
    await anna.page.getByText('No microphone found').waitFor()
    await anna.page.click('#invite')
    await anna.page.locator('#invited').waitFor()
    const link = new URL(await anna.page.locator('#link').inputValue())
    // A loopback name would send others to their own machine.
    expect(link.origin).toBe('https://talk.example.com')
    const bob = await talkPage(browser, `${b.address}/${link.hash}`, { ear: false, script: KEEPS_MICROPHONE })
    await bob.page.click('#start')
    await expect.poll(() => here(bob.page)).toBe(2)
    // A hardware switch on the microphone, which a page learns of only by events.
    for (const [event, words] of [
      ['mute', 'Your system has muted the microphone'],
      ['unmute', 'on again'],
    ]) {
      await bob.page.evaluate(`microphone.getAudioTracks()[0].dispatchEvent(new Event('${event}'))`)
      await bob.page.getByText(words!).waitFor()
    }

    // Regardless of microphone messages.
    const away = async () => {
      await proxy.stop()
      await anna.page.locator('#state').getByText('Reconnecting').waitFor()
      await b.run(LONG_MS)
      await expect.poll(() => here(bob.page)).toBe(1)
    }
    await away()
    busy = true
    await proxy.start()
    await expect.poll(() => b.bridge.counters.refused.get('busy'), { timeout: 60_000 }).toBeGreaterThan(0)
    busy = false
    await anna.page.getByText('Reconnected').waitFor()
    await expect.poll(() => here(bob.page)).toBe(2)
    expect(await anna.page.locator('#invited').isVisible()).toBe(true)

    // The call is over for whoever was away while its room ended, instead of an empty room or a dead link.
    await away()
    await bob.page.click('#stop')
    await b.run(130_000)
    await proxy.start()
    await anna.page.getByText('The call ended while you were away.').waitFor()
    expect(await anna.page.getByText('no longer works').isVisible()).toBe(false)
    expect(b.relay.rooms.size).toBe(0)
    await Promise.all([anna.page.context().close(), bob.page.context().close()])
    await b.close()
  })

  test('drafts that never became final are not shown as growing', async () => {
    const b = await browserServer()
    const anna = await talkPage(browser, b.address, { ear: false, script: NO_MICROPHONE })
    await anna.page.click('#echo-card summary')
    await anna.page.click('#echo')
    const connections = () => {
      wakeSessions(b.relay, b.clock.now())
      return b.translator.connections.length
    }
    await expect.poll(connections).toBe(1)
    const begin = (utterance: string, text: string) =>
      b.translator.last.sink.result({ utterance, text, final: false })
    const drafts = anna.page.locator('.said.draft .original')
    begin('1', 'it was the')
    await expect.poll(() => drafts.allTextContents()).toEqual(['it was the'])
    // The connection breaks: the next one does not know the draft.
    b.translator.last.drop({ kind: 'hangup', by: 'remote' })
    await b.run(2_000)
    await expect.poll(connections).toBe(2)
    begin('1', 'it was the best')
    await expect.poll(() => drafts.allTextContents()).toEqual(['it was the best'])
    expect(await anna.finals('original')).toEqual(['it was the'])
    await anna.page.context().close()
    await b.close()
  })
})
