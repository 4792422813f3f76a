import { element } from '../../../pages/page/dom.ts'
import { say } from './words.ts'

const card = element('sound-card', HTMLDetailsElement)
const microphone = element('microphone', HTMLSelectElement)
const loudspeaker = element('loudspeaker', HTMLSelectElement)
const volume = element('volume', HTMLInputElement)
const original = element('original', HTMLSelectElement)
const KEPT = 'dragoman.sound'

/** Mix of original voices under their translation. */
export type Original = 'off' | 'low' | 'duck'
const ORIGINALS: readonly Original[] = ['off', 'low', 'duck']

/** Choices of sound, stored in this browser. */
interface Kept {
  readonly microphone?: string
  readonly loudspeaker?: string
  readonly volume?: number
  readonly original?: string
}

export interface DeviceEvents {
  /** The microphone to use is another one: chosen, or back, or in place of one that is gone. */
  microphone(): void
  loudspeaker(): void
  volume(): void
  original(): void
  /** The user wants to try their devices, or has closed the choice. */
  tried(): void
  closed(): void
}

/** The choice of microphone, loudspeaker and volumes. A device that is gone is replaced by the default one until it is back. */
export class Devices {
  readonly #events: DeviceEvents
  #kept = read()
  /** Ids of the devices that are there, as last listed; undefined before the first list with ids. */
  #there: ReadonlySet<string> | undefined

  constructor(events: DeviceEvents) {
    this.#events = events
    for (const mix of ORIGINALS) original.append(new Option(say(`original-${mix}`), mix))
    original.value = this.original
    volume.value = String(this.volume)
    loudspeaker.parentElement?.toggleAttribute('hidden', !('setSinkId' in AudioContext.prototype))
    const { mediaDevices } = navigator
    if (mediaDevices) mediaDevices.addEventListener('devicechange', () => void this.list())
    card.addEventListener('toggle', () => (card.open ? void this.list() : events.closed()))
    for (const select of [microphone, loudspeaker]) fill(select, [])
    element('try-sound', HTMLButtonElement).addEventListener('click', () => events.tried())
    microphone.addEventListener('change', () => {
      this.#keep({ microphone: microphone.value })
      events.microphone()
    })
    loudspeaker.addEventListener('change', () => {
      this.#keep({ loudspeaker: loudspeaker.value })
      events.loudspeaker()
    })
    volume.addEventListener('input', () => {
      this.#keep({ volume: Number(volume.value) })
      events.volume()
    })
    original.addEventListener('change', () => {
      this.#keep({ original: original.value })
      events.original()
    })
  }

  /** The chosen microphone, if it is there; '' for the default one. */
  get microphone(): string {
    return this.#present(this.#kept.microphone)
  }

  /** The chosen loudspeaker, likewise. */
  get loudspeaker(): string {
    return this.#present(this.#kept.loudspeaker)
  }

  /** Volume of everything that is played, 0 to 1. */
  get volume(): number {
    const { volume: kept = 1 } = this.#kept
    return kept >= 0 && kept <= 1 ? kept : 1
  }

  get original(): Original {
    return ORIGINALS.find(mix => mix === this.#kept.original) ?? 'duck'
  }

  /** Lists the devices again, and reports those in use that have changed. Browsers name them once the microphone is allowed. */
  async list(): Promise<void> {
    const found = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? []
    const named = found.filter(({ deviceId }) => deviceId !== '')
    if (named.length === 0) return
    const before = [this.microphone, this.loudspeaker]
    const first = this.#there === undefined
    this.#there = new Set(named.map(({ deviceId }) => deviceId))
    fill(
      microphone,
      named.filter(({ kind }) => kind === 'audioinput'),
    )
    fill(
      loudspeaker,
      named.filter(({ kind }) => kind === 'audiooutput'),
    )
    microphone.value = this.microphone
    loudspeaker.value = this.loudspeaker
    if (first) return
    if (before[0] !== this.microphone) this.#events.microphone()
    if (before[1] !== this.loudspeaker) this.#events.loudspeaker()
  }

  #present(device = ''): string {
    return this.#there === undefined || this.#there.has(device) ? device : ''
  }

  #keep(change: Kept): void {
    this.#kept = { ...this.#kept, ...change }
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.#kept))
    } catch {
      // Storage is blocked: choices are not remembered.
    }
  }
}

function fill(select: HTMLSelectElement, devices: readonly MediaDeviceInfo[]): void {
  const chosen = devices.filter(({ deviceId }) => deviceId !== 'default')
  select.replaceChildren(
    new Option(say('defaultDevice'), ''),
    ...chosen.map(({ deviceId, label }, n) => new Option(label || String(n + 1), deviceId)),
  )
}

function read(): Kept {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Kept
  } catch {
    return {}
  }
}
