import { element } from '../../../pages/page/dom.ts'
import type { Outbound, PartyView, Refused, SelfView, UntranslatedSpeaker } from '../protocol.ts'
import { Sound } from './audio.ts'
import type { Line } from './call-state.ts'
import { CallView } from './call-view.ts'
import { Captions } from './captions.ts'
import { Connection, joinToken } from './connection.ts'
import { Invitation } from './invitation.ts'
import { type Catalog, Choices, fetchCatalog } from './language-picker.ts'
import { nameIn, onlyLanguage } from './my-language.ts'
import { meters, People } from './people.ts'
import { codeEntry, type Offer, recording, showWelcome } from './welcome.ts'
import { isTrouble, pageLanguage, say, type Words } from './words.ts'
import type { Played } from './worklet-messages.ts'

const start = element('start', HTMLButtonElement)
const stop = element('stop', HTMLButtonElement)
const mute = element('mute', HTMLButtonElement)
const muteName = element('mute-name', HTMLElement)
const echo = element('echo', HTMLButtonElement)
const echoCard = element('echo-card', HTMLElement)
const play = element('play', HTMLButtonElement)
const status = element('status', HTMLElement)
const nickname = element('name', HTMLInputElement)
const meterBox = element('meters', HTMLElement)
const MICROPHONE_FRAMES_PER_LEVEL = 5
/** Status messages of an open connection. */
const STATES: readonly Words[] = ['line-open', 'line-muted', 'line-listening']
const OUTAGES: readonly Words[] = ['unavailable', 'unavailableFor', 'unavailableSelf']
const SHOWN: readonly Words[] = [...STATES, 'line-connecting', 'line-waiting', 'starting']

/** A link to a room: browsers do not send the part after `#` to any server. */
const link = joinToken(location.hash)

/** The page: connects the choices, the audio and the connection. */
class Talk {
  readonly #catalog: Catalog
  readonly #choices: Choices
  readonly #people: People
  readonly #invitation = new Invitation()
  readonly #captions = new Captions()
  readonly #connection: Connection
  readonly #view: CallView
  #sound: Sound | undefined
  /** Muted by the user, or by the operator; either is sufficient. */
  #muted = false
  #silenced = false
  #code: string | undefined
  /** A link to the room they invited others to, for rejoining even after a long interruption. */
  #home: string | undefined
  #frames = 0
  #bufferedMs = 0
  /** The system has muted the microphone. */
  #blocked = false
  #outage = false
  #complaint: Words | undefined
  /** Current status message. */
  #told: Words = 'ready'
  /** Label of the start button after a regular end. */
  #offer: Offer = 'start'
  #welcomed = false
  /** Resolves once the connection is open or has failed. */
  #waiting: (() => void) | undefined

  constructor(catalog: Catalog) {
    this.#catalog = catalog
    this.#people = new People()
    this.#choices = new Choices(catalog, () => this.#chose())
    this.#view = new CallView({
      captions: () => this.#captions.kept,
      fixMicrophone: () => void this.#fixMicrophone(),
    })
    this.#connection = new Connection({
      hello: () => this.#hello(),
      message: message => this.#heard(message),
      audio: packet => this.#sound?.order({ kind: 'audio', packet }),
      line: line => this.#line(line),
      asksAgain: why => this.#asksAgain(why),
      lost: () => this.#complain('lost'),
    })
  }

  /** Shows what the visitor can do, and reacts to it from now on. */
  open(): void {
    const { offer, obstacle } = showWelcome(this.#catalog, link)
    this.#offer = offer
    start.disabled = false
    start.textContent = say(offer)
    if (obstacle === undefined) this.#tell(this.#catalog.welcome ? 'ready' : 'refused-uninvited')
    else this.#cannot(obstacle)
    // A link to a new call is shown next to it.
    start.hidden = obstacle === 'refused-expired'
    // A guest has come to talk to somebody.
    echoCard.hidden = link !== undefined
    this.#listen()
  }

  #listen(): void {
    this.#view.listen()
    this.#invitation.listen()
    start.addEventListener('click', () => void this.#start(true))
    echo.addEventListener('click', () => {
      this.#choices.echo(true)
      void this.#start(true)
    })
    stop.addEventListener('click', () => this.#connection.close())
    mute.addEventListener('click', () => this.#mute(!this.#muted && !this.#silenced))
    play.addEventListener('click', () => void this.#play())
    element('invite', HTMLButtonElement).addEventListener('click', () =>
      this.#connection.say({ kind: 'invite' }),
    )
    element('code-form', HTMLFormElement).addEventListener('submit', event => {
      event.preventDefault()
      void this.#joinByCode()
    })
    nickname.addEventListener('change', () =>
      this.#connection.say({ kind: 'change', name: nickname.value.trim() || null }),
    )
    addEventListener('pagehide', () => this.#connection.close())
    addEventListener('online', () => this.#connection.hurry())
  }

  /** Starts with the microphone, or without one for users who only play recordings. */
  async #start(microphone: boolean): Promise<void> {
    start.disabled = true
    codeEntry.clear()
    this.#tell('starting')
    try {
      this.#sound ??= await Sound.open({
        captured: ({ packet, level }) => this.#captured(packet, level),
        played: played => {
          if (played.kind === 'heard') this.#connection.say({ kind: 'mark', id: played.id })
          else this.#played(played)
        },
        microphone: how => {
          this.#blocked = how !== 'on'
          this.#complain(`microphone-${how}`)
        },
      })
    } catch {
      this.#complain('noSound')
      this.#again()
      return
    }
    this.#complaint = undefined
    this.#blocked = false
    if (microphone) {
      const why = await this.#sound.listen()
      if (why) this.#complain(`microphone-${why}`)
    }
    this.#connection.open()
  }

  async #fixMicrophone(): Promise<void> {
    const why = await this.#sound?.listen()
    if (why) return this.#complain(`microphone-${why}`)
    this.#blocked = false
    this.#complaint = undefined
    this.#tell(this.#state)
  }

  async #play(): Promise<void> {
    play.disabled = true
    // Without anyone else, only their own translation can be heard.
    if (this.#connection.line === 'over' && link === undefined) this.#choices.echo(true)
    try {
      const [file] = await Promise.all([
        fetch(
          recording.value,
          link === undefined ? {} : { headers: { authorization: `Bearer ${link}` } },
        ).then(answer => answer.arrayBuffer()),
        this.#sound ? undefined : this.#start(false),
      ])
      await this.#connected()
      play.textContent = say('playing')
      await this.#sound?.playInto(file)
    } finally {
      play.disabled = false
      play.textContent = say('play')
    }
  }

  async #joinByCode(): Promise<void> {
    const { digits } = codeEntry
    if (digits === '') return
    this.#code = digits
    if (this.#connection.line !== 'over') this.#connection.close()
    await this.#start(true)
  }

  /** Recordings wait for this: earlier audio would be lost. */
  async #connected(): Promise<void> {
    if (this.#connection.line !== 'connecting') return
    await new Promise<void>(resolve => {
      this.#waiting = resolve
    })
  }

  #mute(muted: boolean): void {
    this.#muted = muted
    this.#silenced = false
    this.#connection.say({ kind: 'change', muted })
    this.#showMuted()
  }

  #showMuted(): void {
    const muted = this.#muted || this.#silenced
    this.#sound?.mute(muted)
    mute.setAttribute('aria-pressed', String(muted))
    muteName.textContent = say(muted ? 'unmute' : 'mute')
    if (STATES.includes(this.#told)) this.#tell(this.#state)
  }

  /** Shows the current state, including changes made by others. */
  #fit(self: SelfView): void {
    this.#choices.fit(self)
    this.#silenced = self.muted
    this.#showMuted()
  }

  /** A restarting server rejects everyone for a moment and does not know its former links. */
  #asksAgain(why: Refused): boolean {
    if (why !== 'link' || link !== undefined) return why === 'busy'
    this.#home = undefined
    return true
  }

  #hello(): object {
    const into = link ?? this.#home
    const name = nickname.value.trim()
    return {
      kind: 'hello',
      ...this.#choices.wanted,
      muted: this.#muted,
      ...(name === '' ? {} : { name }),
      unnamed: say('unnamed'),
      ...(this.#code !== undefined ? { code: this.#code } : into === undefined ? {} : { link: into }),
    }
  }

  #chose(): void {
    this.#connection.say({ kind: 'change', ...this.#choices.wanted })
  }

  #captured(packet: ArrayBuffer, level: number): void {
    this.#connection.sendAudio(packet)
    this.#connection.watch()
    if (this.#frames++ % MICROPHONE_FRAMES_PER_LEVEL === 0) meters.you(level)
  }

  #played({ level, bufferedMs, underruns, skippedMs }: Extract<Played, { kind: 'state' }>): void {
    meters.them(level)
    this.#view.level(level)
    this.#show()
    this.#bufferedMs = bufferedMs
    if (this.#frames % 250 < 5) this.#connection.say({ kind: 'report', bufferedMs, underruns, skippedMs })
  }

  #heard(message: Outbound): void {
    switch (message.kind) {
      case 'welcome':
        this.#sound?.order({ kind: 'begin' })
        this.#company(message.parties)
        this.#people.audiences(message.listeners)
        // Users who rejoin by a link after a long interruption keep their captions page.
        if (message.captions !== undefined || !this.#welcomed) this.#captions.lead(message.captions)
        this.#fit(message.self)
        if (this.#home === undefined) this.#invitation.hide()
        if (this.#complaint?.startsWith('ended-')) this.#complaint = undefined
        if (this.#welcomed) this.#tell('back')
        this.#welcomed = true
        return
      case 'self':
        this.#fit(message.self)
        return
      case 'parties':
        this.#company(message.parties)
        this.#people.audiences(message.listeners)
        return
      case 'caption':
        this.#captions.show(message)
        this.#view.caption(message)
        return
      case 'latency':
        meters.delay(
          message.ms + this.#connection.roundTripMs + this.#bufferedMs + (this.#sound?.outputMs ?? 0),
        )
        return
      case 'outage':
        this.#lack(message.speakers)
        return
      case 'mark':
        this.#sound?.order({ kind: 'mark', id: message.id })
        return
      case 'flush':
        this.#sound?.order({ kind: 'flush' })
        return
      case 'invited':
        this.#home = joinToken(message.path)
        this.#invitation.show(message)
        return
      case 'sorry':
        this.#tell(`sorry-${message.what}`)
        return
      case 'refused':
        if (this.#code !== undefined && codeEntry.refuse(message.why)) this.#complain('ready')
        else this.#complain(`refused-${message.why}`)
        if (message.why === 'link') this.#offer = 'start'
        this.#code = undefined
        return
      case 'ended':
        this.#complain(`ended-${message.why}`)
        return
      case 'pong':
      case 'moved':
        return
      default:
        message satisfies never
    }
  }

  /** Shows who is there, and says so if nothing is to be translated between them. */
  #company(parties: readonly PartyView[]): void {
    this.#people.show(parties)
    const only = onlyLanguage(parties)
    if (only !== undefined) this.#captions.note(say('oneLanguage', nameIn(only)))
    else if (parties.length > 1 || this.#choices.echoing) this.#captions.note('')
    else this.#captions.note(say('alone'))
  }

  #line(line: Line): void {
    if (line !== 'connecting') this.#waiting?.()
    const on = line !== 'over'
    if (on) this.#view.begin()
    meterBox.hidden = !on
    start.hidden = on
    echoCard.hidden = on || link !== undefined
    start.disabled = on
    // A lost connection takes precedence over microphone problems.
    const about =
      line === 'waiting' && this.#complaint?.startsWith('microphone-') ? undefined : this.#complaint
    this.#tell(about ?? (line === 'open' ? this.#state : `line-${line}`))
    // The button pressed is hidden now: move focus to its neighbor.
    if (on && document.activeElement === document.body) mute.focus()
    if (on) return
    if (this.#welcomed) this.#offer = 'again'
    this.#again()
    this.#home = undefined
    for (const each of [this.#people, this.#invitation]) each.hide()
    meters.delay(undefined)
    this.#choices.echo(false)
    this.#captions.note('')
    void this.#sound?.close()
    this.#sound = undefined
    this.#outage = false
    start.focus()
    this.#view.end(this.#welcomed)
    this.#welcomed = false
  }

  #lack(speakers: readonly UntranslatedSpeaker[]): void {
    const others = speakers.filter(({ you }) => !you)
    this.#outage = others.length > 0
    if (speakers.length === 0) {
      // Only its own message: the server says after every reconnection that nobody is lacking.
      if (OUTAGES.includes(this.#told)) this.#tell(this.#state)
    } else if (others.length === 0) this.#tell('unavailableSelf')
    else if (others.some(({ name }) => name === undefined)) this.#tell('unavailable')
    else
      this.#tell(
        'unavailableFor',
        new Intl.ListFormat(pageLanguage).format(others.map(({ name = '' }) => name)),
      )
  }

  #complain(words: Words): void {
    this.#complaint = words
    this.#tell(words)
  }

  /** Shows why the page cannot start. This stays until it is opened at another address. */
  #cannot(words: Words): void {
    this.#complain(words)
    for (const each of [start, play, echo]) each.disabled = true
  }

  /** Resets the start button; after a failure it offers to retry. */
  #again(): void {
    start.disabled = false
    start.textContent = say(isTrouble(this.#complaint) ? 'retry' : this.#offer)
  }

  /** Status message while the connection is open. */
  get #state(): Words {
    if (this.#muted || this.#silenced) return 'line-muted'
    return this.#sound?.hasMicrophone === false ? 'line-listening' : 'line-open'
  }

  /** Shows the state of the call. Messages that repeat it are for screen readers only. */
  #show(): void {
    const { line } = this.#connection
    if (line === 'over') return
    this.#view.show(
      {
        line,
        microphone: this.#sound?.hasMicrophone !== false && !this.#blocked,
        muted: this.#muted || this.#silenced,
        outage: this.#outage,
      },
      SHOWN.includes(this.#told),
    )
  }

  #tell(words: Words, value = ''): void {
    this.#told = words
    status.textContent = say(words as 'unavailableFor', value)
    status.dataset.kind = isTrouble(words) ? 'bad' : ''
    this.#show()
  }
}

const talk = new Talk(
  await fetchCatalog(link, () => {
    status.textContent = say('waiting')
  }),
)
talk.open()
