import type { DashboardState, Health, NodeState, ServerState } from '../state.ts'
import { many, marked, shortly } from './format.ts'
import { html } from './ui.ts'

/** The problems of all nodes; one quiet line while there are none. */
export function Problems({ nodes }: Pick<DashboardState, 'nodes'>) {
  const problems = nodes.flatMap(({ node, state }) =>
    state
      ? state.problems.map(problem => ({ node, ...problem }))
      : {
          node,
          mood: 'bad' as const,
          title: 'The node does not answer.',
          effect: 'Its rooms are not shown.',
          fix: 'Check its process. A key of `control.keys` must be the same on all nodes.',
        },
  )
  if (problems.length === 0) return html`<p class="line" data-mood="good"><b>All systems normal</b></p>`
  return problems.map(
    ({ node, mood, title, effect, fix }) => html`
      <div key=${`${node} ${effect} ${fix}`} class="line problem" data-mood=${mood} role="alert">
        <p><b>${node && `${node}: `}${title}</b> ${effect}</p>
        ${fix && html`<p><b>Fix:</b> ${marked(fix)}</p>`}
      </div>
    `,
  )
}

const NOT_READY: Readonly<Record<string, string>> = {
  draining: 'Rejected: draining',
  overloaded: 'Rejected: overloaded',
  'service-unavailable': 'Rejected: no service',
}

/** The name, value and explanation of each figure of a server. */
function figures({ health, rooms }: ServerState): readonly (readonly [string, string, string])[] {
  const { notReady, services, sessions, latency, embedded, overload, memoryPercent, rejected } = health
  const participants = rooms.reduce((sum, { participants: { length } }) => sum + length, 0)
  const { waiting, onFallback } = sessions
  return [
    [
      'New calls',
      notReady ? (NOT_READY[notReady] ?? notReady) : 'Accepted',
      `${rejected} rejected in overload`,
    ],
    ['Now', many(participants, 'participant'), `in ${many(rooms.length, 'room')}`],
    [
      'Translation service',
      serviceWord(services),
      waiting + onFallback > 0
        ? `${waiting} waiting, ${onFallback} at a fallback`
        : many(services.length, 'service'),
    ],
    [
      'Translated',
      listenersWord(health),
      health.listeners.lacking > 0
        ? `${health.listeners.lacking} without a translation`
        : 'nobody lacks a translation',
    ],
    [
      'Latency',
      latency ? shortly(latency.p50Ms) : '–',
      latency ? latencyWords(latency) : 'no utterances in five minutes',
    ],
    [
      'Behind the speaker',
      health.earVoiceMs === null ? '–' : shortly(health.earVoiceMs),
      'from a word to its translation, while somebody speaks',
    ],
    [
      'Load',
      overload ? `Overloaded: ${overload}` : 'Normal',
      `${memoryPercent} % memory, ${health.eventLoopLagMs} ms event loop delay`,
    ],
    [
      'Embedded engines',
      embedded ? (embedded.running ? 'Running' : 'Starting') : 'Not in use',
      embedded ? enginesWord(embedded) : 'an external service translates',
    ],
  ]
}

function serviceWord([first]: readonly string[]): string {
  if (first === undefined) return 'None'
  if (first === 'closed') return 'Available'
  return first === 'half-open' ? 'Being tested' : 'Unavailable'
}

function enginesWord({ restarts, engines }: NonNullable<Health['embedded']>): string {
  const missing = engines.filter(({ instead }) => instead !== null).length
  return missing > 0 ? `${missing} missing, ${many(restarts, 'restart')}` : many(restarts, 'restart')
}

function listenersWord({ listeners: { needing, lacking } }: Health): string {
  return needing === 0 ? '–' : `${needing - lacking} of ${many(needing, 'listener')}`
}

function latencyWords({ utterances, p90Ms, stages }: NonNullable<Health['latency']>): string {
  const parts = Object.entries(stages).map(([stage, ms]) => `${stage.replace('Ms', '')} ${shortly(ms)}`)
  return [`median of ${many(utterances, 'utterance')}, 90 %: ${shortly(p90Ms)}`, ...parts].join(' · ')
}

export function Figures({ state }: { readonly state: ServerState }) {
  return html`
    <dl class="tiles">
      ${figures(state).map(
        ([name, value, more]) =>
          html`<div key=${name}><dt>${name}</dt><dd>${value}</dd><dd class="faint">${more}</dd></div>`,
      )}
    </dl>
  `
}

/** The engines of an embedded service, those that are missing first. */
export function Engines({ health: { embedded } }: Pick<ServerState, 'health'>) {
  if (!embedded || embedded.engines.length === 0) return null
  const engines = embedded.engines.toSorted((a, b) => Number(b.instead !== null) - Number(a.instead !== null))
  return html`
    <div class="scroll" role="region" aria-label="Engines" tabindex="0"><table id="engines">
      <caption>Engines</caption>
      <thead><tr><th scope="col">Engine</th><th scope="col">For</th><th scope="col">State</th><th scope="col">Requests</th><th scope="col">Failed</th></tr></thead>
      <tbody>
        ${engines.map(
          ({ kind, engine, instead, why, requests, failed }) => html`
            <tr key=${`${kind} ${engine}`}>
              <th scope="row">${engine}</th><td>${kind}</td>
              <td class=${instead ? 'bad' : ''}>${instead ? `Missing (${why?.replace('_', ' ')}): ${instead} serves` : 'Serves'}</td>
              <td class="figure">${requests}</td><td class="figure">${failed}</td>
            </tr>
          `,
        )}
      </tbody>
    </table></div>
  `
}

const STATUS: Record<NodeState['status'], string> = {
  up: 'up',
  draining: 'draining',
  silent: 'no heartbeats',
}

/** The nodes of a fleet. */
export function Nodes({ nodes }: Pick<DashboardState, 'nodes'>) {
  if (nodes.every(({ node }) => node === null)) return null
  return html`
    <div class="scroll" role="region" aria-label="Nodes" tabindex="0"><table id="nodes">
      <caption>Nodes of the fleet</caption>
      <thead><tr><th scope="col">Node</th><th scope="col">State</th><th scope="col">Rooms</th><th scope="col">Participants</th><th scope="col">Memory</th><th scope="col">Event loop delay</th><th scope="col">Version</th></tr></thead>
      <tbody>${nodes.map((each, at) => nodeRow(each, at === 0))}</tbody>
    </table></div>
  `
}

function nodeRow({ node, version, status, state }: NodeState, self: boolean) {
  const participants = state?.rooms.reduce((sum, room) => sum + room.participants.length, 0)
  return html`
    <tr key=${node}>
      <th scope="row">${node}${self && ' (this page)'}</th>
      <td class=${status === 'up' && state ? '' : 'bad'}>${STATUS[status]}${!state && ', does not answer'}</td>
      <td class="figure">${state?.rooms.length ?? '–'}</td><td class="figure">${participants ?? '–'}</td>
      <td class="figure">${state ? `${state.health.memoryPercent} %` : '–'}</td>
      <td class="figure">${state ? `${state.health.eventLoopLagMs} ms` : '–'}</td>
      <td>${version}</td>
    </tr>
  `
}
