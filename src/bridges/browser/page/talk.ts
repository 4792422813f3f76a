import { element } from '../../../pages/page/dom.ts'
import type { Outbound, PartyView, ReceptionView, SelfView } from '../protocol.ts'
import { Sound } from './audio.ts'
import type { ConnectionState } from './call-state.ts'
import { CallView } from './call-view.ts'
import { Captions } from './captions.ts'
import { Connection, type Hello, joinToken } from './connection.ts'
import { Devices } from './devices.ts'
import { Invitation } from './invitation.ts'
import { type Catalog, Choices, fetchCatalog } from './language-picker.ts'
import { MediaControls } from './media-controls.ts'
import { MissingPeople } from './missing-people.ts'
import { nameIn, onlyLanguage } from './my-language.ts'
import { meters, People } from './people.ts'
import { SoundWatch } from './sound-watch.ts'
import { storage, VisitMemory } from './visit-memory.ts'
import { ScreenWakeLock } from './wake-lock.ts'
import { codeEntry, type Offer, present, recording, showWelcome } from './welcome.ts'
import { isTrouble, pageLanguage, say, type Words } from './words.ts'
import type { Played } from './worklet-messages.ts'

const start = element('start', HTMLButtonElement)
/** Starts a new call instead of returning to the current or the last one. */
const fresh = element('fresh', HTMLButtonElement)
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

/** Milliseconds since 1970. */
function wallTime(): number {
  return performance.timeOrigin + performance.now()
}

/** The page: connects the choices, the audio and the connection. */
class Talk {
  readonly #catalog: Catalog
  readonly #choices: Choices
  readonly #people: People
  readonly #invitation = new Invitation()
  readonly #captions = new Captions()
  readonly #connection: Connection
  readonly #view: CallView
  readonly #watch: SoundWatch
  readonly #devices: Devices
  readonly #missing = new MissingPeople()
  readonly #wakeLock = new ScreenWakeLock({ navigator, document })
  readonly #controls = new MediaControls()
  readonly #memory = new VisitMemory({
    tab: storage('sessionStorage'),
    browser: storage('localStorage'),
    link,
    now: wallTime,
  })
  #sound: Sound | undefined
  /** Muted by the user, or by the operator; either is sufficient. */
  #muted = false
  #silenced = false
  #code: string | undefined
  /** What others call them. */
  #called: string | undefined
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
  /** Somebody else has been in this call. */
  #accompanied = false
  /** How many have not come back after a restart of the server, as last told. */
  #notBack = 0
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
      visit: (visit, endsInMs) => this.#memory.keep({ ...visit, until: wallTime() + endsInMs }),
      abandoned: why => this.#abandoned(why),
    })
    this.#devices = new Devices({
      microphone: () => this.#sound?.hasMicrophone && void this.#fixMicrophone(),
      loudspeaker: () => void this.#sound?.playTo(this.#devices.loudspeaker).catch(() => {}),
      volume: () => {
        if (this.#sound) this.#sound.volume = this.#devices.volume
      },
      original: () => this.#connection.say({ kind: 'change', original: this.#devices.original }),
      tried: () => void this.#try(),
      closed: () => {
        if (this.#connection.line === 'over') this.#closeSound()
      },
    })
    this.#watch = new SoundWatch({
      sound: () => this.#sound,
      reopen: () => void this.#reopen(),
      checked: () => this.#checked(),
      returned: () => {
        this.#connection.watch()
        this.#connection.hurry()
      },
    })
  }

  /** Shows what the visitor can do, and reacts to it from now on. */
  open(): void {
    const { offer, obstacle } = showWelcome(this.#catalog, link)
    this.#offer = offer
    start.disabled = false
    start.textContent = say(offer)
    nickname.value ||= this.#memory.name
    const left = this.#memory.visit !== undefined && isSecureContext
    if (left) this.#offerReturn()
    else if (obstacle === undefined) this.#tell(this.#catalog.welcome ? 'ready' : 'refused-uninvited')
    else this.#cannot(obstacle)
    // A link to a new call is shown next to it.
    start.hidden = obstacle === 'refused-expired' && !left
    // A guest has come to talk to somebody.
    echoCard.hidden = link !== undefined
    this.#listen()
  }

  #listen(): void {
    this.#view.listen()
    this.#invitation.listen()
    start.addEventListener('click', () => void this.#start(true, true))
    fresh.addEventListener('click', () => {
      this.#invitation.forget()
      void this.#start(true)
    })
    echo.addEventListener('click', () => {
      this.#invitation.forget()
      this.#choices.echo(true)
      void this.#start(true)
    })
    stop.addEventListener('click', () => {
      this.#memory.forget()
      this.#connection.close()
    })
    mute.addEventListener('click', () => this.#mute(!this.#muted && !this.#silenced))
    play.addEventListener('click', () => void this.#play())
    element('invite', HTMLButtonElement).addEventListener('click', () =>
      this.#connection.say({ kind: 'invite' }),
    )
    element('code-form', HTMLFormElement).addEventListener('submit', event => {
      event.preventDefault()
      void this.#joinByCode()
    })
    nickname.addEventListener('change', () => {
      this.#memory.name = nickname.value.trim()
      this.#connection.say({ kind: 'change', name: nickname.value.trim() || null })
    })
    addEventListener('beforeunload', event => {
      // Usually nothing is lost: the page offers to return.
      if (this.#connection.line !== 'over' && !this.#memory.works) event.preventDefault()
    })
  }

  /** The call is still there, after a reload or a crash, or in another tab. */
  #offerReturn(): void {
    this.#offer = 'rejoin'
    start.textContent = say('rejoin')
    this.#offerFresh()
    // They would be listed among those who are there.
    present.hidden = true
    this.#captions.restore(this.#memory.captions)
    this.#tell('leftCall')
  }

  #offerFresh(): void {
    fresh.hidden = !this.#catalog.welcome && !this.#catalog.invited
    fresh.textContent = say(link === undefined ? 'anew' : 'joinAnew')
  }

  async #openSound(): Promise<Sound> {
    const sound = await Sound.open({
      captured: ({ packet, level }) => this.#captured(packet, level),
      played: played => {
        if (played.kind === 'heard') this.#connection.say({ kind: 'mark', id: played.id })
        else this.#played(played)
      },
      microphone: how => {
        this.#blocked = how !== 'on'
        this.#complain(`microphone-${how}`)
        if (how === 'lost') void this.#otherMicrophone()
      },
      changed: () => this.#watch.check(),
    })
    sound.volume = this.#devices.volume
    // A loudspeaker that is gone leaves the default one.
    await sound.playTo(this.#devices.loudspeaker).catch(() => {})
    return sound
  }

  #closeSound(): void {
    void this.#sound?.close()
    this.#sound = undefined
    meters.you(0)
  }

  /** Before a call: lets the user see their level and hear a tone. */
  async #try(): Promise<void> {
    try {
      this.#sound ??= await this.#openSound()
    } catch {
      this.#complain('noSound')
      return
    }
    if (!this.#sound.hasMicrophone) {
      const why = await this.#sound.listen(this.#devices.microphone)
      if (why) this.#complain(`microphone-${why}`)
    }
    await this.#devices.list()
    this.#sound?.beep()
  }

  /** A headset has vanished: takes another microphone, if there is one. */
  async #otherMicrophone(): Promise<void> {
    await this.#devices.list()
    const sound = this.#sound
    if (!sound || sound.hasMicrophone || (await sound.listen(this.#devices.microphone))) return
    this.#blocked = false
    this.#complaint = undefined
    this.#tell('microphone-other')
  }

  /** The sound has died: takes the devices again. */
  async #reopen(): Promise<void> {
    const dead = this.#sound
    const microphone = dead?.hasMicrophone === true
    await dead?.close().catch(() => {})
    if (this.#sound !== dead) return
    this.#sound = await this.#openSound().catch(() => undefined)
    const sound = this.#sound
    if (!sound) return
    sound.mute(this.#muted || this.#silenced)
    const why = microphone ? await sound.listen(this.#devices.microphone) : undefined
    if (why) this.#complain(`microphone-${why}`)
  }

  /**
   * Starts with the microphone, or without one for users who only play recordings. `returning`: continues the call that the
   * page has left, if there is one.
   */
  async #start(microphone: boolean, returning = false): Promise<void> {
    const visit = returning ? this.#memory.visit : undefined
    start.disabled = true
    codeEntry.clear()
    this.#tell('starting')
    try {
      this.#sound ??= await this.#openSound()
    } catch {
      this.#complain('noSound')
      this.#again()
      return
    }
    this.#complaint = undefined
    this.#blocked = false
    if (microphone) {
      const why = await this.#sound.listen(this.#devices.microphone)
      if (why) this.#complain(`microphone-${why}`)
    }
    void this.#devices.list()
    this.#watch.begin()
    this.#connection.open(visit)
  }

  async #fixMicrophone(): Promise<void> {
    const why = await this.#sound?.listen(this.#devices.microphone)
    if (why) return this.#complain(`microphone-${why}`)
    this.#blocked = false
    this.#complaint = undefined
    this.#tell(this.#state)
  }

  async #play(): Promise<void> {
    play.disabled = true
    // Without anyone else, only their own translation can be heard.
    if (this.#connection.line === 'over' && link === undefined) {
      this.#invitation.forget()
      this.#choices.echo(true)
    }
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
    this.#controls.muted(muted)
    if (STATES.includes(this.#told)) this.#tell(this.#state)
  }

  /** Shows the current state, including changes made by others. */
  #fit(self: SelfView): void {
    this.#choices.fit(self)
    this.#silenced = self.muted
    this.#showMuted()
  }

  #abandoned(why: 'lost' | 'gone'): void {
    if (why === 'gone') this.#memory.forget()
    this.#complain(why === 'gone' ? 'ended-gone' : 'lost')
  }

  /** Shows whether there is sound, and who has not come back. */
  #checked(): void {
    if (this.#watch.vital !== 'alive') for (const level of [meters.you, meters.them]) level(0)
    if (this.#missing.waiting) this.#showPeople()
    this.#connection.watch()
    this.#show()
  }

  #showPeople(): void {
    const now = performance.now()
    const before = this.#notBack
    const notBack = this.#missing.notBack(now)
    this.#notBack = notBack.length
    this.#people.show(this.#missing.shown(now))
    if (notBack.length === 0 || notBack.length === before) return
    const names = notBack.map(({ name }) => name ?? say('unnamed'))
    this.#tell('notBack', new Intl.ListFormat(pageLanguage).format(names), notBack.length)
  }

  #hello(): Hello {
    const name = nickname.value.trim()
    // Whoever has invited others returns to them by their own invitation.
    const invitation = link ?? this.#invitation.token
    return {
      kind: 'hello',
      ...this.#choices.wanted,
      muted: this.#muted,
      original: this.#devices.original,
      ...(name === '' ? {} : { name }),
      // Whoever returns without a name is called what they were called before.
      unnamed: this.#called ?? say('unnamed'),
      ...(this.#code !== undefined
        ? { code: this.#code }
        : invitation === undefined
          ? {}
          : { link: invitation }),
    }
  }

  #chose(): void {
    this.#connection.say({ kind: 'change', ...this.#choices.wanted })
  }

  #captured(packet: ArrayBuffer, level: number): void {
    this.#connection.sendAudio(packet)
    this.#watch.frame()
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
        this.#missing.welcomed(message.server, message.parties, performance.now())
        this.#company(message.parties)
        this.#people.audiences(message.listeners)
        // Users who rejoin by a link after a long interruption keep their captions page.
        if (message.captions !== undefined || !this.#welcomed) this.#captions.lead(message.captions)
        this.#fit(message.self)
        if (!message.resumed) this.#invitation.hide()
        if (this.#complaint?.startsWith('ended-')) this.#complaint = undefined
        if (this.#welcomed) this.#tell('back')
        this.#welcomed = true
        return
      case 'self':
        this.#fit(message.self)
        return
      case 'parties':
        this.#missing.changed(message.parties)
        this.#company(message.parties)
        this.#people.audiences(message.listeners)
        return
      case 'caption':
        this.#captions.show(message)
        if (message.final) this.#memory.said(message)
        this.#view.caption(message)
        return
      case 'latency':
        meters.delay(
          message.ms +
            (message.heard ? 0 : this.#connection.roundTripMs + this.#bufferedMs) +
            (this.#sound?.outputMs ?? 0),
        )
        return
      case 'receptions':
        this.#lack(message.from.filter(({ missed }) => missed))
        return
      case 'mark':
        this.#sound?.order({ kind: 'mark', id: message.id })
        return
      case 'flush':
        this.#sound?.order({ kind: 'flush' })
        return
      case 'invited':
        this.#invitation.show(message)
        return
      case 'sorry':
        this.#tell(`sorry-${message.what}`)
        return
      case 'refused':
        if (this.#code !== undefined && codeEntry.refuse(message.why)) this.#complain('ready')
        else this.#complain(`refused-${message.why}`)
        if (message.why === 'link') {
          this.#invitation.forget()
          this.#offer = 'start'
        }
        this.#code = undefined
        return
      case 'ended':
        // Another tab has the call now, or the server can soon continue it.
        if (message.why === 'hung-up' || message.why === 'time') this.#memory.forget()
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
    this.#called = parties.find(({ you }) => you)?.name ?? this.#called
    this.#showPeople()
    if (parties.length > 1) this.#accompanied = true
    const only = onlyLanguage(parties)
    if (only !== undefined) this.#captions.note(say('oneLanguage', nameIn(only)))
    else if (parties.length > 1 || this.#choices.echoing || this.#missing.waiting) this.#captions.note('')
    else this.#captions.note(say(this.#accompanied ? 'allLeft' : 'alone'))
  }

  #line(line: ConnectionState): void {
    if (line !== 'connecting') this.#waiting?.()
    const on = line !== 'over'
    if (on) {
      this.#view.begin()
      this.#wakeLock.hold()
      this.#controls.begin(say('call'), { mute: () => mute.click(), hangUp: () => stop.click() })
      fresh.hidden = true
      // It says who was there when the page was opened.
      present.hidden = true
    }
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
    const elsewhere = this.#complaint === 'ended-replaced'
    const over = !elsewhere && this.#complaint !== 'lost'
    if (elsewhere) this.#offer = 'continueHere'
    else if (!over && this.#memory.visit) this.#offer = 'rejoin'
    else if (link === undefined && this.#invitation.token !== undefined) {
      this.#offer = 'rejoin'
      this.#offerFresh()
    } else if (this.#offer === 'rejoin' || this.#offer === 'continueHere' || this.#welcomed)
      this.#offer = 'again'
    this.#again()
    this.#watch.end()
    this.#wakeLock.release()
    this.#controls.end()
    this.#notBack = 0
    if (over) {
      this.#missing.forget()
      this.#called = undefined
      this.#accompanied = false
    }
    for (const each of [this.#people, this.#invitation]) each.hide()
    meters.delay(undefined)
    this.#choices.echo(false)
    this.#captions.note('')
    this.#closeSound()
    this.#outage = false
    start.focus()
    this.#view.end(this.#welcomed && over)
    this.#welcomed = false
  }

  #lack(speakers: readonly ReceptionView[]): void {
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
    const returns = this.#offer === 'rejoin' || this.#offer === 'continueHere'
    start.textContent = say(isTrouble(this.#complaint) && !returns ? 'retry' : this.#offer)
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
        sound: this.#watch.vital,
        microphone:
          this.#sound?.hasRecording === true || (this.#sound?.hasMicrophone !== false && !this.#blocked),
        muted: this.#muted || this.#silenced,
        outage: this.#outage,
      },
      SHOWN.includes(this.#told),
    )
  }

  #tell(words: Words, value = '', count = 0): void {
    this.#told = words
    status.textContent = say(words as 'notBack', value, count)
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
