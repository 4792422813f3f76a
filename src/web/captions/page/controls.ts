import { element, made } from '../../../pages/page/dom.ts'
import { languageName } from '../../../pages/page/languages.ts'
import { LOOKS, nextSize, type Preferences } from './preferences.ts'
import type { Reading } from './reading.ts'
import { FORMATS, type Format } from './transcript.ts'
import { pageLanguage, say } from './words.ts'

/** Idle time after which full screen hides the controls (ms). */
const IDLE_MS = 3_000

const select = (id: string) => element(id, HTMLSelectElement)
const button = (id: string) => element(id, HTMLButtonElement)

/** Applies text size and theme to the page. */
export function applyPreferences({ size, look }: Preferences): void {
  const root = document.documentElement
  root.style.setProperty('--size', `${size}rem`)
  root.dataset.look = look
}

/** Connects buttons, fields and keys with `reading`. */
export function wireControls(reading: Reading): void {
  const change = (changes: Partial<Preferences>) => {
    reading.prefer(changes)
    reading.list.restyle(() => applyPreferences(reading.preferences))
  }
  const resize = (by: number) => change({ size: nextSize(reading.preferences.size, by) })
  const { show, look, awake } = reading.preferences

  select('show').value = show
  select('look').value = look
  element('awake', HTMLInputElement).checked = awake
  select('show').addEventListener('change', ({ currentTarget }) => {
    const { value } = currentTarget as HTMLSelectElement
    if (value === 'both' || value === 'translation' || value === 'original') change({ show: value })
  })
  select('language').addEventListener('change', () => change({ language: select('language').value }))
  select('look').addEventListener('change', () =>
    change({ look: LOOKS.find(each => each === select('look').value) ?? 'system' }),
  )
  element('awake', HTMLInputElement).addEventListener('change', ({ currentTarget }) =>
    change({ awake: (currentTarget as HTMLInputElement).checked }),
  )
  button('smaller').addEventListener('click', () => resize(-1))
  button('larger').addEventListener('click', () => resize(1))
  button('live').addEventListener('click', () => {
    reading.list.follow()
    element('stage', HTMLElement).focus()
  })
  button('earlier').addEventListener('click', () => void reading.earlier())
  button('wait').addEventListener('click', () => reading.start())
  reading.onLanguages = () => listLanguages(reading)
  listLanguages(reading)
  wirePanels(reading)
  wireDownloads(reading)
  wireFullScreen()
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return
    if (event.key === '+' || event.key === '=') resize(1)
    else if (event.key === '-') resize(-1)
    else if (event.key === 'f') void toggleFullScreen()
    else if (event.key === 'End') reading.list.follow()
  })
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLSelectElement || target instanceof HTMLInputElement
}

/** Lists the languages that have appeared, and the selected one. */
function listLanguages({ book, preferences }: Reading): void {
  const known = new Set(book.languages)
  if (preferences.language !== '') known.add(preferences.language)
  const options = Array.from(known, language => {
    const option = made('option', languageName(language, pageLanguage))
    option.value = language
    return option
  }).sort((a, b) => a.text.localeCompare(b.text))
  const all = made('option', say('allLanguages'))
  all.value = ''
  select('language').replaceChildren(all, ...options)
  select('language').value = preferences.language
}

function wirePanels(reading: Reading): void {
  const panels = [
    { opener: button('open-settings'), panel: element('settings', HTMLElement) },
    { opener: button('open-downloads'), panel: element('downloads', HTMLElement) },
  ]
  const open = (wanted: HTMLElement | undefined) =>
    reading.list.restyle(() => {
      for (const { opener, panel } of panels) {
        panel.hidden = panel !== wanted
        opener.setAttribute('aria-expanded', String(panel === wanted))
      }
    })
  for (const { opener, panel } of panels) {
    opener.addEventListener('click', () => open(panel.hidden ? panel : undefined))
    panel.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape') return
      open(undefined)
      opener.focus()
    })
  }
}

function wireDownloads(reading: Reading): void {
  const state = element('download-state', HTMLParagraphElement)
  for (const one of element('downloads', HTMLElement).querySelectorAll('button'))
    one.addEventListener('click', async () => {
      const format = one.dataset.format ?? ''
      if (!(format in FORMATS)) return
      state.textContent = say('downloading')
      state.textContent = await reading.save(format as Format)
    })
}

async function toggleFullScreen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen()
  // Rejected if the browser forbids it; the page then stays in the window.
  else await document.documentElement.requestFullscreen().catch(() => {})
}

/** In full screen, the controls are hidden while the user is idle. */
function wireFullScreen(): void {
  const root = document.documentElement
  const opener = button('full-screen')
  opener.hidden = !document.fullscreenEnabled
  opener.addEventListener('click', () => void toggleFullScreen())
  let timer = 0
  const wake = () => {
    root.classList.remove('idle')
    clearTimeout(timer)
    if (!document.fullscreenElement) return
    timer = setTimeout(() => {
      if (!document.querySelector('#bar :focus-visible, .panel:not([hidden])')) root.classList.add('idle')
    }, IDLE_MS)
  }
  for (const type of ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const)
    document.addEventListener(type, wake, { passive: true })
  document.addEventListener('fullscreenchange', () => {
    opener.textContent = say(document.fullscreenElement ? 'leaveFullScreen' : 'fullScreen')
    wake()
  })
}
