import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FaultProxy } from '../../../simulator/network/fault-proxy.ts'
import type { RelayEvents } from '../../../src/core/model/events.ts'
import { rms } from '../../../src/transcode/level.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { mono, readWav } from '../../../src/transcode/wav.ts'
import { hasChromium, startChromium } from '../../support/browser/browsers.ts'
import { accessibilityFaults } from '../../support/browser/page-faults.ts'
import { bridge, envelope, LINE_RATE, recognised, sentence, similarity } from '../../support/e2e/phones.ts'
import { pitchOf, startEcho, talkPage, withoutMicrophone } from '../../support/e2e/talk-page.ts'
import { pause } from '../../support/until.ts'

const SAID = 'had he married a more amiable woman he might have been made still more respectable than he was'
const RECORDING = fileURLToPath(new URL('../../../recordings/sense-and-sensibility-4.wav', import.meta.url))
/** A number whose callers enter a room code. */
const CODES = '+15005550001'
const PHONE = { viewport: { width: 360, height: 740 } }
/** A sound card with another rate. */
const AT_44100 =
  'window.AudioContext = class extends AudioContext { constructor(options) { super({ ...options, sampleRate: 44100 }) } }'

let b: Awaited<ReturnType<typeof bridge>>
let browser: Browser

/** The embedded voice’s audio for `text` at 16 kHz: the reference for what must be audible. */
async function spanish(text: string): Promise<Int16Array> {
  const espeak = spawn('espeak-ng', ['-v', 'es', '-s', '165', '-a', '80', '--stdin', '--stdout'])
  const chunks: Buffer[] = []
  espeak.stdout.on('data', chunk => chunks.push(chunk))
  espeak.stdin.end(text)
  await once(espeak, 'close')
  const wav = readWav(Buffer.concat(chunks))
  return createResampler(wav.rate, 16_000).process(wav.pcm).slice()
}

/** The session of an utterance: its number increases for each speaker. */
const nameOf = (utterance: string) => utterance.slice(0, utterance.lastIndexOf('.'))
/** Levels of each 20 ms of `pcm` at 16 kHz. */
const levels = (pcm: Int16Array) => {
  const half = createResampler(16_000, 8_000).process(pcm)
  return Int16Array.from(envelope(half))
}
/** The first half second of voice in `pcm`, and the rest. */
const voiceIn = (pcm: Int16Array) => {
  const at = levels(pcm).findIndex(level => level > 300) * 320
  expect(at).toBeGreaterThanOrEqual(0)
  return pcm.subarray(at)
}

/** Voiced 100 ms stretches of `sent`, 0.4 s apart, with their best correlation in `played`. */
function piecesOf(sent: Int16Array, played: Int16Array, aheadMs = 100) {
  return Array.from({ length: 10 }, (_, n) => n * 6_400).flatMap(at => {
    const piece = sent.subarray(at, at + 1_600)
    if (piece.length < 1_600 || rms(piece) < 300) return []
    // From slightly before it to one second after it.
    const from = Math.max(0, at - aheadMs * 16)
    const there = similarity(piece, played.subarray(from, at + 17_600))
    const same = played.subarray(from + there.at, from + there.at + piece.length)
    return [{ similarity: there.best, louderDb: 20 * Math.log10(rms(same) / rms(piece)) }]
  })
}

describe.skipIf(!hasChromium)('the talk page with real engines', () => {
  beforeAll(async () => {
    b = await bridge({
      twilio: { authToken: [], insecure: true, numbers: { [CODES]: { roomCode: true } } },
      control: { keys: [{ name: 'desk', key: 'the-key-of-whoever-looks-after-it' }] },
    })
    browser = await startChromium({ microphone: RECORDING })
  })
  afterAll(async () => {
    await browser?.close()
    await b?.app.close()
  })

  test('two clicks are enough to hear oneself in another language, as sent, in the chosen voice', async () => {
    const { page, faults, sent, heard, finals } = await talkPage(browser, b.address)
    expect(await page.locator('#speaks').inputValue()).toBe('en-us')
    expect(await page.locator('#to-dashboard').getAttribute('href')).toBe('/dashboard')
    expect(await page.locator('#to-dashboard').isVisible()).toBe(true)
    expect(await page.locator('#engines').textContent()).toMatch(/^Engines: pocketsphinx, apertium, espeak/)
    // The headline promises what these engines can do.
    expect(await page.locator('#lead').textContent()).toBe('This server understands only English.')
    expect(await page.locator('#more-languages').isVisible()).toBe(true)
    expect(await accessibilityFaults(page)).toEqual([])
    await startEcho(page)
    await page.getByText('You’re connected').waitFor()
    await b.until(() => b.utterances.some(({ stage }) => stage === 'heard'), 40_000, 'a translation')
    const [text = ''] = await finals('original')
    const [translation = ''] = await finals('translation')
    expect(recognised(SAID, text)).toBeGreaterThan(0.4)
    expect(await page.locator('.said .translation').first().getAttribute('lang')).toBe('es-es')
    await expect.poll(() => page.locator('#delay').textContent()).toMatch(/^\d\.\d s$/)
    // The next one uses another voice.
    await page.click('#options summary')
    await page.selectOption('#voice', 'espeak-es-es-f2')
    const voiceNames = await page.locator('#voice option').allTextContents()
    expect(voiceNames).toContain('Spanish (female) 2')
    const before = (await heard()).length
    const voices = new Set(b.utterances.map(({ utterance }) => nameOf(utterance)))
    await b.until(
      () => b.utterances.some(e => e.stage === 'begun' && !voices.has(nameOf(e.utterance))),
      40_000,
      'the same in another voice',
    )
    expect(await accessibilityFaults(page)).toEqual([])
    const played = voiceIn((await heard()).subarray(0, before))
    const first = voiceIn(sent())

    // It matches the server’s audio: same samples and level, except for breaks on a busy machine.
    const pieces = piecesOf(first, played)
    const found = pieces.filter(({ similarity }) => similarity > 0.95)
    expect(pieces.length).toBeGreaterThanOrEqual(5)
    expect(found.length).toBeGreaterThanOrEqual(pieces.length / 2)
    for (const { louderDb } of found) expect(Math.abs(louderDb)).toBeLessThan(1)
    // And it is the Spanish voice speaking this translation.
    const wanted = levels(voiceIn(await spanish(translation))).subarray(0, 60)
    expect(similarity(wanted, levels(first)).best).toBeGreaterThan(0.8)
    // The other voice differs; a busy page plays it later.
    const pitch = pitchOf(played)
    let raised = 0
    for (let look = 0; look < 20 && raised <= 1.2; look++) {
      await pause(500)
      raised = pitchOf((await heard()).subarray(-2 * 16_000)) / pitch
    }
    expect(raised).toBeGreaterThan(1.2)

    await page.click('#stop')
    await b.until(() => b.app.relay.legs === 0, 5_000, 'hanging up')
    expect(await page.locator('#start').isVisible()).toBe(true)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('two participants in a room by link: one without a microphone plays a recording, each hears the other in their language', async () => {
    const anna = await talkPage(browser, b.address)
    // By keyboard alone.
    const focused = () => anna.page.evaluate('document.activeElement.id')
    for (let n = 0; n < 9 && (await focused()) !== 'start'; n++) await anna.page.keyboard.press('Tab')
    await anna.page.keyboard.press('Enter')
    await anna.page.getByText('You’re connected').waitFor()
    // Keyboard focus is not lost with the button.
    expect(await anna.page.evaluate('document.activeElement.id')).toBe('mute')
    await anna.page.click('#invite')
    await anna.page.locator('#invited').waitFor()
    const link = await anna.page.locator('#link').inputValue()
    expect(new URL(link).hash).toMatch(/^#join=[\w-]{24}$/)

    const bob = await talkPage(browser, link, {
      script: withoutMicrophone('NotAllowedError'),
      ...PHONE,
      colorScheme: 'dark',
    })
    await bob.page.click('#options summary')
    await bob.page.selectOption('#hears', 'es-es')
    await bob.page.click('#start')
    await bob.page.getByText('Microphone access is blocked').waitFor()
    await bob.page.locator('#people li').nth(1).waitFor()
    expect(await accessibilityFaults(bob.page)).toEqual([])
    // No element is wider than the phone.
    expect(await bob.page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    // Anna hears others in her language, whatever Bob chose. Her choices are behind the invitation.
    await anna.page.click('#invited-close')
    expect(await anna.page.locator('#hears').inputValue()).toBe('en-us')

    await b.until(
      () => b.utterances.some(e => e.stage === 'begun' && e.listener !== e.speaker),
      40_000,
      'Anna to Bob',
    )
    await anna.page.click('#mute')
    const start = (await anna.heard()).length
    await bob.page.click('#more')
    await bob.page.click('#recordings-card summary')
    await bob.page.selectOption('#recording', { index: 1 })
    await bob.page.click('#play')
    await bob.page.getByText('Playing…').waitFor()
    // Others hear it.
    await bob.page.locator('#state').getByText('Nobody hears you').waitFor({ state: 'hidden' })
    await bob.page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    // Both speak English, so Anna hears the original recording.
    const wav = readWav(
      await readFile(
        fileURLToPath(new URL('../../../recordings/sense-and-sensibility-2.wav', import.meta.url)),
      ),
    )
    expect(wav.rate).toBe(16_000)
    // The normalizer sets the level of its first moments: it can start earlier than measured here.
    const asItIs = piecesOf(voiceIn(mono(wav)), voiceIn((await anna.heard()).subarray(start)), 1_000)
    expect(asItIs.length).toBeGreaterThanOrEqual(4)
    // Breaks on a busy machine spoil single pieces; other sentences of this voice reach 0.71.
    const alike = asItIs.filter(({ similarity }) => similarity > 0.8)
    expect(alike.length).toBeGreaterThanOrEqual(Math.max(2, asItIs.length / 3))
    // Large captions, including earlier ones, are for the room’s creator; guests get no link.
    expect(await bob.page.locator('#captions-page').isVisible()).toBe(false)
    const [wall] = await Promise.all([
      anna.page.waitForEvent('popup'),
      anna.page.locator('#captions-page').click(),
    ])
    await wall.locator('#captions [lang=es-es]').first().waitFor()
    // And Bob hears Anna in Spanish.
    expect(rms(voiceIn(await bob.heard()).subarray(0, 32_000))).toBeGreaterThan(500)
    expect((await bob.finals('translation')).join(' ')).toMatch(/respetable|amable|mujer/i)

    await bob.page.close()
    await anna.page.getByText('Everyone else has left the call').waitFor()
    expect([...anna.faults, ...bob.faults]).toEqual([])
    await Promise.all([anna.page.context().close(), bob.page.context().close()])
  })

  test('a phone joins by code; after a network failure the page reconnects automatically as the same participant', async () => {
    await using proxy = await FaultProxy.listen({ to: b.address })
    const anna = await talkPage(browser, proxy.url, {
      script: `${withoutMicrophone('NotFoundError')}; ${AT_44100}`,
      ear: false,
    })
    await anna.page.click('#start')
    await anna.page.getByText('No microphone found').waitFor()
    await anna.page.click('#invite')
    await anna.page.locator('#invited').waitFor()
    const code = (await anna.page.locator('#code-shown').textContent())!.replace(' ', '')
    await anna.page.click('#invited-close')
    const room = (await b.app.roomCodes.find(code))!
    const phone = await b.dial({ hears: 'es-es' }, { to: CODES })
    await b.until(() => phone.asking, 15_000, 'the question for the code')
    phone.press(`${code}#`)
    await anna.page.getByText('on the phone').waitFor()

    const back: RelayEvents['reconnected'][] = []
    b.app.relay.observer.on('reconnected', event => back.push(event))
    proxy.cut()
    await anna.page.getByText('Reconnected').waitFor()
    expect(back).toHaveLength(1)
    expect(b.app.relay.rooms.get(room)?.participants.size).toBe(2)

    // Speech on the phone is played unchanged, a recording is played there in Spanish.
    await phone.say(await sentence(2), LINE_RATE)
    await anna.page.click('#recordings-card summary')
    await anna.page.selectOption('#recording', { index: 1 })
    await anna.page.click('#play')
    await b.until(
      () => b.utterances.some(e => e.room === room && e.stage === 'heard'),
      30_000,
      'Anna to the phone',
    )
    expect(rms(voiceIn(anna.sent()).subarray(0, 16_000))).toBeGreaterThan(300)
    expect(Math.max(...envelope(phone.heard()))).toBeGreaterThan(1_000)
    await phone.hangUp()
    await anna.page.context().close()
    // Only the browser’s own messages report the disconnection.
    expect(anna.faults.filter(fault => !/WebSocket|ERR_CONNECTION/.test(fault))).toEqual([])
  })
})
