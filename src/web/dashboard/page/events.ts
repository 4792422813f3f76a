import type { EventLine } from '../state.ts'
import { timeOfDay } from './format.ts'
import { Component, html } from './ui.ts'

const KINDS = [
  ['', 'All events'],
  ['bad', 'Problems'],
  ['party', 'Participants'],
  ['session', 'Translations'],
  ['service', 'Service'],
  ['room', 'Rooms'],
  ['speech', 'Speech'],
  ['call', 'Outbound calls'],
  ['recording', 'Recordings'],
] as const

/** An event, and its node in a fleet. */
export interface PlacedEvent extends EventLine {
  readonly node: string | null
}

/** The latest events, newest first. */
export class Events extends Component<{ readonly events: readonly PlacedEvent[] }, { kind: string }> {
  override state = { kind: '' }

  override render() {
    const { kind } = this.state
    const shown = this.props.events.filter(
      each => kind === '' || (kind === 'bad' ? each.bad : each.kind === kind),
    )
    return html`
      <section class="card" aria-labelledby="events-title">
        <div class="head">
          <h2 id="events-title">Events</h2>
          <label class="field"><span class="aloud">Show</span>
            <select value=${kind} onChange=${({ currentTarget }: Event) => this.setState({ kind: (currentTarget as HTMLSelectElement).value })}>
              ${KINDS.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
            </select>
          </label>
        </div>
        <ol id="events" aria-labelledby="events-title" tabindex="0">${shown.toSorted((a, b) => b.at - a.at || b.id - a.id).map(line)}</ol>
        ${shown.length === 0 && html`<p class="faint">No events yet.</p>`}
      </section>
    `
  }
}

function line({ id, node, at, room, who, text, bad }: PlacedEvent) {
  return html`
    <li key=${`${node} ${id}`}>
      <time class="figure faint" datetime=${new Date(at).toISOString()}>${timeOfDay(at)}</time>
      <span class=${bad ? 'bad' : ''}><b>${who ?? room ?? node ?? ''}</b> ${text}${who !== null && room !== null && html`<span class="faint"> · ${room}</span>`}</span>
    </li>
  `
}
