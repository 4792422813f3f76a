import { element, made } from '../../../pages/page/dom.ts'
import { accessOf, forgetKey, fragment, storeKey } from '../../captions/page/access.ts'
import type { Delta, Levels, NodeMessage, NodeView, Offer, Snapshot } from '../protocol.ts'
import { Api } from './api.ts'
import { Board } from './board.ts'
import { CallsView } from './calls-view.ts'
import { QuantileChart, StageChart } from './charts.ts'
import { LegDialog, RoomDialog } from './dialogs.ts'
import { EventsView, Live, type LiveState } from './feeds.ts'
import { say } from './format.ts'
import { HealthView, showStale } from './health-view.ts'
import { NodesTable } from './nodes-table.ts'
import { RoomsTable } from './rooms-table.ts'
import { SaidView } from './said-view.ts'
import { SimulateForm } from './simulate-form.ts'

/** The form for the key, which is kept for this tab and never in an address. */
class KeyForm {
  readonly #section = element('login', HTMLElement)
  readonly #field = element('key', HTMLInputElement)
  readonly #problem = element('login-problem', HTMLElement)

  constructor(enter: (key: string) => void) {
    element('login-form', HTMLFormElement).addEventListener('submit', event => {
      event.preventDefault()
      const key = this.#field.value.trim()
      this.#field.value = ''
      if (key === '') return
      storeKey(key)
      enter(key)
    })
  }

  /** Returns the key from the address, which is then cleaned, or the key typed in before. */
  static key(): string | undefined {
    const access = accessOf(fragment(location.hash))
    if (location.hash !== '') history.replaceState(null, '', location.pathname)
    return access?.kind === 'key' ? access.secret : undefined
  }

  /** `problem`: parts between backticks are code. */
  open(problem: string): void {
    forgetKey()
    this.#problem.replaceChildren(
      ...problem.split('`').map((part, at) => (at % 2 === 1 ? made('code', part) : part)),
    )
    this.#field.setAttribute('aria-invalid', String(problem !== ''))
    this.#section.hidden = false
    element('login-form', HTMLElement).hidden = false
    this.#field.focus()
  }

  /** No key would be accepted. */
  closed(): void {
    this.open('')
    say(element('login-title', HTMLElement), 'The dashboard is off')
    say(
      element('login-about', HTMLElement),
      'This server has no API keys. If you run it: add a key to the settings, and restart.',
    )
    element('login-form', HTMLElement).hidden = true
    this.#section.querySelector('details')!.open = true
  }

  hide(): void {
    this.#section.hidden = true
    say(this.#problem, '')
  }
}

const board = new Board()
let api = new Api('')
let live: Live | undefined
const asks = () => api

const keyForm = new KeyForm(enter)
const health = new HealthView()
const nodes = new NodesTable()
const stages = new StageChart(element('stages', HTMLElement))
const quantiles = new QuantileChart(element('quantiles', HTMLElement))
const legDialog = new LegDialog(asks)
const said = new SaidView(asks)
const roomDialog = new RoomDialog(asks, () => {
  said.stop()
  show()
})
const simulate = new SimulateForm(asks)
const calls = new CallsView(asks)
const events = new EventsView(show)
const rooms = new RoomsTable(
  {
    openLeg: n => {
      const leg = board.legs.get(n)
      if (leg) legDialog.open(leg.figures)
    },
    openRoom: room => {
      said.of(room)
      roomDialog.open(room, board)
      show()
    },
    opened: () => roomDialog.opened,
  },
  show,
)

function enter(key: string): void {
  api = new Api(key)
  live?.stop()
  live = new Live({ api, onEvent: take, onState: state })
  live.start()
}

function leave(): void {
  live?.stop()
  live = undefined
  element('board', HTMLElement).hidden = true
  element('forget', HTMLElement).hidden = true
  showStale(undefined)
  for (const dialog of document.querySelectorAll('dialog')) dialog.close()
}

function state(now: LiveState): void {
  const place = element('state', HTMLElement)
  place.dataset.state = now
  say(
    place,
    {
      connecting: 'Connecting …',
      live: 'Live',
      again: 'Reconnecting',
      refused: '',
      closed: '',
    }[now],
  )
  if (now === 'again') showStale(board.at)
  if (now === 'live') {
    keyForm.hide()
    showStale(undefined)
    element('board', HTMLElement).hidden = false
    element('forget', HTMLElement).hidden = false
    void offer()
  } else if (now === 'refused' || now === 'closed') {
    leave()
    if (now === 'closed') keyForm.closed()
    else keyForm.open('Invalid key. Check `control.keys` in the settings, then try again.')
  }
}

async function offer(): Promise<void> {
  const told = (await api.ask('GET', '/dashboard/offer').catch(() => undefined)) as Offer | undefined
  if (!told) return
  simulate.offer(told)
  legDialog.offer(told)
  roomDialog.offer(told)
  rooms.offer(told)
  element('tool', HTMLElement).hidden = told.recordings.length === 0
  element('to-simulate', HTMLElement).hidden = told.recordings.length === 0
}

function take(type: string, data: string): void {
  const told: unknown = JSON.parse(data)
  if (type === 'levels') {
    board.levels(told as Levels)
    rooms.levels(board)
    return
  }
  if (type === 'node') {
    takeOf(told as NodeMessage)
    return
  }
  if (type === 'snapshot') {
    // Another server numbers its events from the start.
    events.clear()
    board.snapshot(told as Snapshot)
  } else if (type === 'delta') board.delta(told as Delta)
  else if (type === 'nodes') board.nodes = told as readonly NodeView[]
  show()
}

/** A message of another node of the fleet. */
function takeOf(told: NodeMessage): void {
  if (told.type === 'levels') {
    board.levels(told.data, told.node)
    rooms.levels(board)
    return
  }
  if (told.type === 'delta') board.delta(told.data, told.node)
  else {
    // Older events of this node come among those of others, or disappear.
    events.clear()
    if (told.type === 'snapshot') board.snapshot(told.data, told.node)
    else board.gone(told.node)
  }
  show()
}

function show(): void {
  rooms.show(board)
  rooms.levels(board)
  health.show(board)
  nodes.show(board)
  stages.show(board.utterances)
  quantiles.show(board.quantiles)
  events.show(board.events)
  calls.show(board.calls, board.at)
  legDialog.follow(board)
  roomDialog.follow(board)
}

element('forget', HTMLButtonElement).addEventListener('click', () => {
  leave()
  keyForm.open('')
  say(element('state', HTMLElement), '')
})
for (const close of document.querySelectorAll('[data-close]'))
  close.addEventListener('click', () => close.closest('dialog')?.close())
element('hurry', HTMLButtonElement).addEventListener('click', () => live?.hurry())
element('to-simulate', HTMLButtonElement).addEventListener('click', () => {
  const tool = element('tool', HTMLDetailsElement)
  tool.open = true
  tool.scrollIntoView()
  tool.querySelector<HTMLElement>('[type=submit]')?.focus({ preventScroll: true })
})
addEventListener('online', () => live?.hurry())
document.addEventListener('visibilitychange', () => document.hidden || live?.hurry())

const known = KeyForm.key()
if (known !== undefined) enter(known)
else {
  say(element('state', HTMLElement), '')
  keyForm.open('')
}
