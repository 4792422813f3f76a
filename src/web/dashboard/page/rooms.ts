import { shortLanguageName } from '../../../pages/page/languages.ts'
import type { Hearing, ParticipantView, RoomView } from '../state.ts'
import { duration, many, shortly } from './format.ts'
import { channelName } from './names.ts'
import { html } from './ui.ts'

/** Maximum number of participants on the page; the filter shows others. */
const MOST_SHOWN = 250
/** Lag shown as a problem from this value (ms). */
const LATE_MS = 3_000

/** A room, and its node in a fleet. */
export interface PlacedRoom extends RoomView {
  readonly node: string | null
}

export interface RoomsProps {
  readonly rooms: readonly PlacedRoom[]
  /** Server time (ms since 1970). */
  readonly at: number
  /** What participants and rooms must contain. */
  readonly find: string
  /** Languages of the service, to name variants only where there are several. */
  readonly offered: readonly string[]
  readonly openRoom: (name: string) => void
  readonly openParticipant: (id: string) => void
}

/** The rooms with their participants, and what each of them hears of whom. */
export function Rooms(props: RoomsProps) {
  const wanted = props.find.trim().toLowerCase()
  let left = MOST_SHOWN
  let hidden = 0
  const cards = props.rooms.flatMap(room => {
    const found = room.participants.filter(each => wanted === '' || textOf(each, room).includes(wanted))
    const shown = found.slice(0, left)
    left -= shown.length
    hidden += found.length - shown.length
    return shown.length === 0 ? [] : card(room, shown, props)
  })
  const told = cards.length === 0 ? 'No matches.' : hidden > 0 ? `${hidden} more. Use the filter.` : ''
  return html`${cards}<p class="faint" role="status">${told}</p>`
}

function textOf({ id, name, channel, speaks, hears, simulated }: ParticipantView, room: PlacedRoom): string {
  const words = [room.name, room.node, id, name, channel, channelName(channel), speaks, hears]
  return `${words.join(' ')} ${simulated ? 'simulated' : ''}`.toLowerCase()
}

function card(room: PlacedRoom, shown: readonly ParticipantView[], props: RoomsProps) {
  const { name, node, sessions, recording, since, participants, listeners } = room
  const about = [
    many(participants.length, 'participant'),
    many(sessions, 'open session'),
    duration(props.at - since),
    recording && `recording: ${recording}`,
    node && `node ${node}`,
  ]
  return html`
    <section key=${`${node} ${name}`} class="card room">
      <div class="head">
        <div><h3><bdi>${name}</bdi></h3><p class="faint figure">${about.filter(Boolean).join(' · ')}</p></div>
        <button type="button" class="small" aria-label=${`Details of ${name}`} onClick=${() => props.openRoom(name)}>Details</button>
      </div>
      <ul>${shown.map(each => row(each, props))}</ul>
      ${listeners.length > 0 && html`<p class="faint figure">${audience(listeners, props.offered)}</p>`}
    </section>
  `
}

/** `12 listeners: German 8, French 4`. */
function audience(listeners: PlacedRoom['listeners'], offered: readonly string[]): string {
  const sum = listeners.reduce((total, each) => total + each.listeners, 0)
  const each = listeners.map(
    ({ language, listeners: count }) => `${shortLanguageName(language, offered)} ${count}`,
  )
  return `${many(sum, 'listener')}: ${each.join(', ')}`
}

function row(participant: ParticipantView, { at, offered, openParticipant }: RoomsProps) {
  const { id, name, channel, simulated, since, present, muted, speaking, lagMs, hearing } = participant
  return html`
    <li key=${id} class=${present ? 'party' : 'party absent'}>
      <div class="who">
        <p><b><bdi>${name}</bdi></b> <span class="faint">${simulated ? 'Simulated' : channelName(channel)}</span></p>
        <p class="faint figure">${languagesOf(participant, offered)} · ${duration(at - since)}</p>
      </div>
      <ul class="hearing" aria-label=${`What ${name} hears`}>
        ${!present && html`<li class="bad">Disconnected, can reconnect</li>`}
        ${hearing.length === 0 && html`<li class="faint">Nobody else is here</li>`}
        ${hearing.map(each => html`<li class=${each.problem ? 'bad' : ''} data-hears=${each.hears}>${hearingWords(each, participant, offered)}</li>`)}
      </ul>
      <p class="marks figure">
        ${muted && html`<span class="chip">Muted</span>`}
        ${speaking && html`<span class="chip" data-mood="good">Speaking</span>`}
        ${lagMs > 0 && html`<span class="chip" data-mood=${lagMs >= LATE_MS ? 'bad' : ''}>Lag ${shortly(lagMs)}</span>`}
      </p>
      <button type="button" class="small" aria-label=${`Control ${name}`} aria-haspopup="dialog" onClick=${() => openParticipant(id)}>Control</button>
    </li>
  `
}

function languagesOf({ speaks, hears }: ParticipantView, offered: readonly string[]): string {
  const [from, to] = [speaks, hears].map(each => each && shortLanguageName(each, offered))
  if (!from) return to ? `Hears ${to}` : 'Hears originals'
  if (!to) return `${from}, hears originals`
  return from === to ? from : `${from} → ${to}`
}

const HEARS: Record<Hearing['hears'], string> = {
  translation: 'Translation of',
  captions: 'Captions of',
  original: 'Original of',
  silence: 'Nothing of',
}

/** `Translation of Anna into Spanish: translating`. */
function hearingWords(
  { hears, of, count, to, why }: Hearing,
  { name }: ParticipantView,
  offered: readonly string[],
) {
  const more = count > of.length ? `${of.join(', ')} and ${count - of.length} more` : of.join(', ')
  const who = more === name ? 'their own voice' : more
  const into =
    to !== null && hears !== 'silence' && hears !== 'original'
      ? ` into ${shortLanguageName(to, offered)}`
      : ''
  const lacking = to !== null && into === '' ? `, not ${shortLanguageName(to, offered)}` : ''
  return html`<b>${HEARS[hears]}</b> <bdi>${who}</bdi>${into}${lacking}: ${why}`
}
