import { languageTag, sameLanguage } from '../../../../common/language.ts'
import { element } from '../../../../pages/page/dom.ts'
import { shortLanguageName } from '../../../../pages/page/languages.ts'
import { joinToken } from '../../page/connection.ts'
import type { ToListener } from '../protocol.ts'
import { ListenCaptions } from './listen-captions.ts'
import { ListenConnection, type ListenLine } from './listen-connection.ts'
import { Loudspeaker } from './loudspeaker.ts'
import { pageLanguage, say } from './words.ts'

/** Where the reader's choices are kept. */
const KEPT_LANGUAGE = 'dragoman.listen.language'
const KEPT_SIZE = 'dragoman.listen.size'
const KEPT_VOLUME = 'dragoman.listen.volume'
/** Sizes of captions: each step is a quarter. */
const [SMALLEST, LARGEST] = [-2, 6]

const state = element('state', HTMLElement)
const notice = element('notice', HTMLElement)
const language = element('language', HTMLSelectElement)
const play = element('play', HTMLButtonElement)
const volume = element('volume', HTMLInputElement)
const captions = new ListenCaptions()
const token = joinToken(location.href)

let offered: readonly string[] = []
/** The language that the server plays; undefined before the first. */
let hearing: string | undefined
let live = false
let line: ListenLine = 'connecting'
let loudspeaker: Loudspeaker | undefined
let interrupted = false
/** The link leads to nothing. */
let invalid = token === undefined
let size = Number(kept(KEPT_SIZE) ?? 0) || 0
let lock: { release(): Promise<void> } | undefined

const connection = new ListenConnection({
  hello: () => ({ kind: 'hello', link: token, audio: loudspeaker !== undefined, hears: hearing }),
  message: told,
  audio: packet => loudspeaker?.play(packet),
  line: now => {
    line = now
    if (now === 'over') void stop()
    show()
  },
})

function told(message: ToListener): void {
  switch (message.kind) {
    case 'welcome':
      offer(message.languages)
      return
    case 'hearing':
      if (hearing !== message.language) loudspeaker?.flush()
      hearing = message.language
      live = message.live
      language.value = message.language
      keep(KEPT_LANGUAGE, message.language)
      report('')
      show()
      return
    case 'unavailable':
      hearing = undefined
      language.value = ''
      report(say('unavailable', ownName(message.language)), 'bad')
      show()
      return
    case 'languages-full':
      language.value = hearing ?? ''
      report(say('languagesFull', names(message.open)), 'bad')
      return
    case 'caption':
      captions.show(message)
      return
    case 'outage':
      report(outageOf(message.speakers))
      return
    case 'flush':
      loudspeaker?.flush()
      return
    case 'refused':
      invalid ||= message.why === 'link'
      report(say(`refused-${message.why}`), 'bad')
      return
    case 'ended':
      if (message.why === 'link') report(say('ended-link'))
      return
    default:
  }
}

/** Fills the list of languages, and starts with that of the reader: the one chosen before, or that of the browser. */
function offer(languages: readonly string[]): void {
  offered = languages
  const byName = [...languages].sort((a, b) => ownName(a).localeCompare(ownName(b)))
  language.replaceChildren(
    ...(hearing === undefined ? [new Option(say('choose'), '')] : []),
    ...byName.map(id => {
      const option = new Option(ownName(id), id)
      option.lang = languageTag(id)
      return option
    }),
  )
  language.disabled = false
  const wanted = [kept(KEPT_LANGUAGE), ...navigator.languages.map(each => each.toLowerCase())]
  const best = wanted.flatMap(each => {
    if (each === null) return []
    const exact = languages.find(id => id === each)
    return exact ?? languages.find(id => sameLanguage(id, each)) ?? []
  })[0]
  if (hearing !== undefined) language.value = hearing
  else if (best === undefined) report(say('unavailable', ownName(navigator.language.toLowerCase())), 'bad')
  else connection.say({ kind: 'change', hears: best })
}

function show(): void {
  const now = line === 'open' ? (live ? 'live' : 'waiting') : line
  state.dataset.state = now
  state.textContent = say(now === 'over' && invalid ? 'state-invalid' : `state-${now}`)
  const playing = loudspeaker !== undefined && !interrupted
  play.textContent = say(playing ? 'stop' : 'play')
  play.setAttribute('aria-pressed', String(playing))
  // Without a language there is nothing to hear yet.
  play.disabled = line === 'over' || (hearing === undefined && !playing)
  if (line === 'over') captions.end()
}

function report(text: string, kind = ''): void {
  notice.textContent = text
  notice.dataset.kind = kind
}

function outageOf(speakers: readonly (string | null)[]): string {
  if (speakers.length === 0) return ''
  const known = speakers.filter(name => name !== null)
  return known.length < speakers.length ? say('outage') : say('outageOf', listOf(known))
}

async function start(): Promise<void> {
  if (loudspeaker) {
    loudspeaker.resume()
    return
  }
  try {
    loudspeaker = await Loudspeaker.open(stopped => {
      interrupted = stopped
      if (stopped && loudspeaker) report(say('interrupted'))
      else if (notice.textContent === say('interrupted')) report('')
      show()
    })
  } catch {
    report(say('noSound'), 'bad')
    return
  }
  interrupted = false
  loudspeaker.volume = Number(volume.value) / 100
  connection.say({ kind: 'change', audio: true })
  void keepAwake()
  show()
}

async function stop(): Promise<void> {
  const before = loudspeaker
  loudspeaker = undefined
  connection.say({ kind: 'change', audio: false })
  void lock?.release()
  lock = undefined
  show()
  await before?.close()
}

/** Keeps the screen on while the reader listens: browsers suspend pages of locked phones. */
async function keepAwake(): Promise<void> {
  try {
    lock = await navigator.wakeLock?.request('screen')
  } catch {
    // Not allowed, for example with a low battery.
  }
}

function resize(step: number): void {
  size = Math.max(SMALLEST, Math.min(LARGEST, size + step))
  document.documentElement.style.setProperty('--size', String(1 + size / 4))
  keep(KEPT_SIZE, String(size))
}

function ownName(id: string): string {
  const name = shortLanguageName(id, offered, languageTag(id))
  return name.charAt(0).toLocaleUpperCase(languageTag(id)) + name.slice(1)
}

function names(languages: readonly string[]): string {
  return listOf(languages.map(ownName))
}

function listOf(texts: readonly string[]): string {
  return new Intl.ListFormat(pageLanguage).format(texts)
}

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage is blocked: the choice is for this visit.
  }
}

language.addEventListener('change', () => {
  if (language.value !== '') connection.say({ kind: 'change', hears: language.value })
})
play.addEventListener('click', () => void (loudspeaker && !interrupted ? stop() : start()))
volume.addEventListener('input', () => {
  if (loudspeaker) loudspeaker.volume = Number(volume.value) / 100
  keep(KEPT_VOLUME, volume.value)
})
element('smaller', HTMLButtonElement).addEventListener('click', () => resize(-1))
element('larger', HTMLButtonElement).addEventListener('click', () => resize(1))
addEventListener('online', () => connection.hurry())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible') return
  connection.hurry()
  loudspeaker?.resume()
  if (loudspeaker) void keepAwake()
})
volume.value = kept(KEPT_VOLUME) ?? volume.value
resize(0)
if (token === undefined) {
  line = 'over'
  report(say('refused-link'), 'bad')
} else connection.open()
show()
