import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inEachBrowser } from '../../support/browser/browsers.ts'
import { captionsOn, isLive } from '../../support/e2e/caption-room.ts'
import { into, narrow, parlour } from '../../support/e2e/discord-call-harness.ts'
import { FAINT, hears, LOUD, longest, SAID_DB, soundings } from '../../support/e2e/phone-listener.ts'
import { heardBy, type TalkPage, talkPage, WHISTLE } from '../../support/e2e/talk-page.ts'
import { DESK, say, VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const KEY = 'the-key-of-whoever-looks-after-the-room'
const SAYS_MS = 1_500
const LANGUAGES = ['en-us', 'es-es', 'fr-fr']
/** The tone and languages of each participant. */
const PEOPLE = {
  Anna: { hz: VOICE.third, language: 'en-us' },
  Bruno: { hz: VOICE.fourth, language: 'es-es' },
  Teo: { hz: VOICE.caller, language: 'fr-fr' },
  Dora: { hz: VOICE.callee, language: 'es-es' },
} as const
type Name = keyof typeof PEOPLE

inEachBrowser('one room', { timeout: 120_000, only: 'Chromium' }, host => {
  test('two browsers, a phone and a voice channel, in three languages: each hears and reads the others in their own', async () => {
    await using casa = await parlour({
      number: { speaks: 'fr-fr', hears: 'fr-fr', name: 'Teo', roomCode: true },
      config: { control: { keys: [{ name: 'desk', key: KEY }] } },
    })
    const { x, sala } = casa
    const dora = await casa.person('Dora', 'es-ES')
    await dora.command('interpret language', { language: 'es-es' })
    await dora.command('interpret start')
    const code = /\b\d{8}\b/.exec((await dora.command('interpret invite')).text)?.[0] ?? ''
    const address = new URL(x.app.server.listeningOrigin).origin
    const come = async (name: Name, hash = '') => {
      const talk = await talkPage(host.browser, `${address}/${hash}`, { script: WHISTLE })
      await talk.page.selectOption('#speaks', PEOPLE[name].language)
      await talk.page.fill('#name', name)
      if (hash === '') await talk.page.click('#code-card summary')
      if (hash === '') await talk.page.fill('#code', code)
      await talk.page.click(hash === '' ? '#code-form button' : '#start')
      await talk.page.getByText('You’re connected').waitFor()
      return talk
    }
    const anna = await come('Anna')
    await anna.page.click('#invite')
    await anna.page.locator('#invited').waitFor()
    const bruno = await come('Bruno', new URL(await anna.page.locator('#link').inputValue()).hash)
    const teo = await x.caller.dial(DESK)
    await until(() => teo.asking, 15_000, 'the question for the code')
    for (const digit of code) teo.press(digit)
    await anna.page.getByText('Teo, on the phone').waitFor()
    // The channel is one participant, however many languages it listens in.
    const here = (await anna.page.locator('#people li').allTextContents()).map(line => line.split(',')[0])
    expect(here.toSorted()).toEqual(['Anna (you)', 'Bruno', 'Discord voice channel', 'Dora', 'Teo'])
    const wall = await (await host.browser.newContext()).newPage()
    const [room = ''] = x.app.relay.rooms.keys()
    await wall.goto(`${address}/captions/${encodeURIComponent(room)}#key=${KEY}&to=fr-fr`)
    await isLive(wall)

    const voices: Record<Name, () => Promise<unknown>> = {
      Anna: () => anna.page.evaluate(`whistle(${PEOPLE.Anna.hz}, ${SAYS_MS})`),
      Bruno: () => bruno.page.evaluate(`whistle(${PEOPLE.Bruno.hz}, ${SAYS_MS})`),
      Teo: () => say(teo, PEOPLE.Teo.hz, SAYS_MS),
      Dora: () => casa.say(dora, PEOPLE.Dora.hz, SAYS_MS),
    }
    const done = (stage: string) => x.events.utterance.filter(event => event.stage === stage).length
    const began = performance.now()
    for (const name of Object.keys(PEOPLE) as Name[]) {
      const before = done('heard')
      await voices[name]()
      await until(() => done('heard') > before && done('heard') === done('begun'), 15_000, `${name} heard`)
    }
    // Remains of the end of a tone.
    await pause(500)
    const since = (pcm: Int16Array) => pcm.subarray(-Math.ceil((performance.now() - began) * 8))
    const ears = {
      Anna: since(await heardBy(anna)),
      Bruno: since(await heardBy(bruno)),
      Teo: since(teo.heard()),
      Dora: since(narrow(sala.heard())),
    }
    for (const [ear, pcm] of Object.entries(ears))
      for (const [voice, { hz, language }] of Object.entries(PEOPLE)) {
        const own = PEOPLE[ear as Name].language
        const who = `${voice} at ${ear}`
        if (voice === ear) expect(hears(pcm, hz), who).toBe(false)
        for (const to of LANGUAGES)
          expect(hears(pcm, into(hz, to)), `${who} in ${to}`).toBe(
            voice !== ear && language !== own && to === own,
          )
        if (voice === ear) continue
        // Same language: the original unchanged. Another: the original softly, and the complete translation.
        const original = longest(soundings(pcm, hz, { ...FAINT, bridgeMs: LOUD.bridgeMs }))
        expect(original.toMs - original.fromMs, who).toBeGreaterThan(SAYS_MS * 0.8)
        if (language === own) expect(Math.abs(original.db - SAID_DB), who).toBeLessThan(2)
        else {
          expect(original.db, who).toBeLessThan(SAID_DB - 4)
          const translation = longest(soundings(pcm, into(hz, own), LOUD))
          expect(translation.toMs - translation.fromMs, who).toBeGreaterThan(SAYS_MS * 0.8)
        }
      }

    // Everything once, in the reader’s language; their own language is not translated.
    const read = async ({ page }: TalkPage) =>
      (await page.locator('#captions li').allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' ').trim())
    const own = ['Anna en-us 1 es-es 1', 'Bruno es-es 1 en-us 1']
    expect(await read(anna)).toEqual([...own, 'Teo fr-fr 1 en-us 1', 'Dora es-es 1 en-us 1'])
    expect(await read(bruno)).toEqual([...own, 'Teo fr-fr 1 es-es 1', 'Dora es-es 1'])
    expect((await captionsOn(wall)).map(({ who, texts }) => [who, ...texts].join(' '))).toEqual([
      'Anna en-us 1 fr-fr 1',
      'Bruno es-es 1 fr-fr 1',
      'Teo fr-fr 1',
      'Dora es-es 1 fr-fr 1',
    ])
    await casa.reads('Teo', 'fr-fr 1', '`es` es-es 1')
    expect([...anna.faults, ...bruno.faults]).toEqual([])
    await Promise.all([anna.page.context().close(), bruno.page.context().close(), wall.context().close()])
    await dora.command('interpret stop')
  })
})
