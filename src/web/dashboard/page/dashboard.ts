import { element } from '../../../pages/page/dom.ts'
import { EventStreamClient } from '../../../pages/page/event-stream.ts'
import { spokenOf } from '../../../pages/page/languages.ts'
import { accessOf, forgetKey, fragment, storeKey } from '../../captions/page/access.ts'
import type { DashboardState, Offer } from '../state.ts'
import { Api, ApiError } from './api.ts'
import { ParticipantDialog, RoomDialog } from './dialogs.ts'
import { Events } from './events.ts'
import { many, marked, timeOfDay } from './format.ts'
import { Engines, Figures, Nodes, Problems } from './health.ts'
import { Rooms } from './rooms.ts'
import { inputValue, Simulate } from './simulate.ts'
import { Component, createPortal, html, render } from './ui.ts'

/** Time without data after which the connection is replaced (ms); the server sends the state every second. */
const SILENCE_MS = 6_000
const RECONNECT = { firstMs: 300, maxMs: 10_000 }

interface AppState {
  /** `key`: one is needed; `off`: none would be accepted; `again`: reconnects automatically. */
  readonly phase: 'key' | 'off' | 'connecting' | 'live' | 'again'
  readonly problem: string
  /** The latest state. */
  readonly data: DashboardState | undefined
  readonly offer: Offer
  readonly find: string
  /** The room or participant whose details are open. */
  readonly open: { readonly room?: string; readonly participant?: string }
  readonly simulating: boolean
}

const PHASES: Record<AppState['phase'], string> = {
  key: '',
  off: '',
  connecting: 'Connecting …',
  live: 'Live',
  again: 'Reconnecting',
}

/** The page: a form for the key, then the state as it arrives. */
class App extends Component<object, AppState> {
  override state: AppState = {
    phase: 'key',
    problem: '',
    data: undefined,
    offer: { languages: [], recordings: [] },
    find: '',
    open: {},
    simulating: false,
  }
  #api = new Api('')
  #stream: EventStreamClient | undefined

  override componentDidMount() {
    const access = accessOf(fragment(location.hash))
    if (location.hash !== '') history.replaceState(null, '', location.pathname)
    if (access?.kind === 'key') this.#enter(access.secret)
    addEventListener('online', () => this.#stream?.hurry())
    document.addEventListener('visibilitychange', () => document.hidden || this.#stream?.hurry())
    document.addEventListener('keydown', event => {
      const { key, target, ctrlKey, altKey, metaKey } = event
      if (key !== '/' || ctrlKey || altKey || metaKey) return
      if (target instanceof Element && target.closest('input, select, textarea, dialog[open]')) return
      event.preventDefault()
      document.getElementById('find')?.focus()
    })
  }

  override render(_: object, { phase, data }: AppState) {
    const known = phase === 'live' || phase === 'again'
    const account = html`
      <p id="state" class="state" role="status" data-state=${phase}>${PHASES[phase]}</p>
      ${known && html`<button type="button" class="small" onClick=${() => this.#leave('')}>Sign out</button>`}
    `
    return html`
      <h1 class="aloud">Dashboard</h1>
      ${createPortal(account, element('account', HTMLElement))}
      ${phase === 'key' || phase === 'off' ? this.#login() : null}
      ${known && data && this.#board(data)}
    `
  }

  #login() {
    const { phase, problem } = this.state
    const off = phase === 'off'
    const submit = (event: Event) => {
      event.preventDefault()
      const key = element('key', HTMLInputElement).value.trim()
      if (key === '') return
      storeKey(key)
      this.#enter(key)
    }
    return html`
      <section id="login" class="card login" aria-labelledby="login-title">
        <h2 id="login-title">${off ? 'The dashboard is off' : 'Enter an API key'}</h2>
        <p class="faint">${off ? 'This server has no API keys. If you run it: add a key to the settings, and restart.' : 'The dashboard requires a control API key.'}</p>
        ${
          !off &&
          html`<form class="stack" onSubmit=${submit}>
            <label class="field" for="key">Key</label>
            <input id="key" type="password" autocomplete="off" spellcheck="false" required
              aria-describedby="login-problem" aria-invalid=${String(problem !== '')} ref=${(one: HTMLElement | null) => one?.focus()} />
            <p id="login-problem" class="bad" role="alert">${marked(problem)}</p>
            <div><button type="submit" class="main">Open dashboard</button></div>
          </form>`
        }
        <details open=${off}><summary>Where do I get a key?</summary>
          <p><code>dragoman serve</code> prints a link with a temporary key on its own terminal. For others, add a key to the settings and restart:</p>
          <pre>${'control:\n  keys:\n    - { name: desk, key: at-least-24-random-characters }'}</pre>
          <p class="faint">The key stays in this tab until you close it or sign out.</p>
        </details>
      </section>
    `
  }

  #board({ at, nodes }: DashboardState) {
    const { phase, offer, find, simulating } = this.state
    const rooms = nodes.flatMap(({ node, state }) => state?.rooms.map(room => ({ ...room, node })) ?? [])
    const events = nodes.flatMap(({ node, state }) => state?.events.map(event => ({ ...event, node })) ?? [])
    const participants = rooms.reduce((sum, room) => sum + room.participants.length, 0)
    const own = nodes[0]?.state
    return html`
      <div id="board" class="board">
        ${phase === 'again' && this.#stale(at)}
        <section class="stack" id="system" aria-label="System status">
          <${Problems} nodes=${nodes} />
          ${own && html`<${Figures} state=${own} />`}
          <${Nodes} nodes=${nodes} />
        </section>
        <section class="stack" aria-labelledby="rooms-title">
          <div class="head">
            <h2 id="rooms-title" tabindex="-1">Rooms</h2>
            ${
              participants > 0 &&
              html`<p id="totals" class="faint figure">${many(rooms.length, 'room')}, ${many(participants, 'participant')}</p>
                <label class="field inline">Filter <input id="find" type="search" value=${find} placeholder="room, name, language …"
                  onInput=${(event: Event) => this.setState({ find: inputValue(event) })} /></label>`
            }
          </div>
          ${participants === 0 ? this.#nobody() : this.#rooms(rooms, at)}
        </section>
        <${Events} events=${events} />
        ${own && html`<${Engines} health=${own.health} />`}
        ${offer.recordings.length > 0 && html`<${Simulate} api=${this.#api} offer=${offer} calls=${own?.calls ?? []} at=${at} open=${simulating} />`}
        ${this.#dialog(rooms, at)}
      </div>
    `
  }

  #stale(at: number) {
    return html`
      <div class="line problem" data-mood="warn" id="stale">
        <p role="alert">Connection lost. Figures below are from ${timeOfDay(at)}. Reconnecting automatically. If this continues, check that the server is running.</p>
        <button type="button" class="small" onClick=${() => this.#stream?.hurry()}>Try now</button>
      </div>
    `
  }

  #nobody() {
    const simulate = () =>
      this.setState({ simulating: true }, () => element('simulate', HTMLFormElement).scrollIntoView())
    return html`
      <div id="nobody" class="card void">
        <h3>No active calls</h3>
        <p class="faint">Rooms appear here as soon as someone calls, joins by link or starts interpreting on Discord.</p>
        <p class="row"><a class="button main" href="/">Start a call</a>
          ${this.state.offer.recordings.length > 0 && html`<button type="button" id="to-simulate" onClick=${simulate}>Simulate a call</button>`}</p>
      </div>
    `
  }

  #rooms(rooms: Parameters<typeof Rooms>[0]['rooms'], at: number) {
    const { find, offer } = this.state
    return html`<${Rooms} rooms=${rooms} at=${at} find=${find} offered=${spokenOf(offer)}
      openRoom=${(room: string) => this.setState({ open: { room } })}
      openParticipant=${(participant: string) => this.setState({ open: { participant } })} />`
  }

  /** The open dialog; none when its room or participant is gone. */
  #dialog(rooms: Parameters<typeof Rooms>[0]['rooms'], at: number) {
    const { open, offer } = this.state
    const common = { api: this.#api, offer, at, close: () => this.setState({ open: {} }) }
    const room = rooms.find(({ name }) => name === open.room)
    if (room) return html`<${RoomDialog} key=${`room ${room.name}`} ...${common} room=${room} />`
    for (const { name, participants } of rooms) {
      const participant = participants.find(({ id }) => id === open.participant)
      if (participant)
        return html`<${ParticipantDialog} key=${participant.id} ...${common} participant=${participant} room=${name} />`
    }
    return null
  }

  #enter(key: string): void {
    const api = new Api(key)
    this.#api = api
    this.#stream?.stop()
    this.#stream = new EventStreamClient({
      open: (_lastId, signal) => api.open('GET', '/dashboard/state', undefined, signal),
      silenceMs: SILENCE_MS,
      reconnect: RECONNECT,
      events: {
        opened: () => void this.#offer(api),
        event: ({ data }) =>
          this.setState({ phase: 'live', problem: '', data: JSON.parse(data) as DashboardState }),
        lost: error => this.#lost(error),
      },
    })
    this.setState({ phase: 'connecting' })
    this.#stream.start()
  }

  async #offer(api: Api): Promise<void> {
    const offer = await api.ask('GET', '/dashboard/offer').catch(() => undefined)
    if (offer) this.setState({ offer: offer as Offer })
  }

  #lost(error: unknown): number | undefined {
    const { status, code } = error instanceof ApiError ? error : { status: 0, code: '' }
    if (code === 'control_closed') return void this.#leave('', 'off')
    if (status === 401)
      return void this.#leave('Invalid key. Check `control.keys` in the settings, then try again.')
    this.setState(({ data }) => ({ phase: data ? 'again' : 'connecting' }))
    return 0
  }

  #leave(problem: string, phase: 'key' | 'off' = 'key'): void {
    this.#stream?.stop()
    this.#stream = undefined
    forgetKey()
    this.setState({ phase, problem, data: undefined, open: {}, find: '' })
  }
}

render(html`<${App} />`, element('app', HTMLElement))
