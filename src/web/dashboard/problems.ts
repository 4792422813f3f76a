import type { Lack } from '../../core/model/reception.ts'
import type { DashboardProblem, Health } from './state.ts'

/** What ends a lack of translations. */
const FIXES: Readonly<Record<Lack, string>> = {
  'service-unavailable': 'The log names the reason; the next attempt is automatic.',
  'no-place':
    'All sessions of the service are in use; the next free one is theirs. Allow more sessions there (`embedded.maxSessions` for the embedded service).',
  refused: 'The service refuses these languages or this voice; the log names the reason.',
  'no-connection': 'The log names the reason; the next attempt is automatic.',
  'no-voice': 'The service returns text without audio; check its voices.',
}

/** Share of the memory limit from which it is a problem (%). */
const MEMORY_PERCENT = 80

/** Returns what an operator should know, the most severe first. Counters and load alone are not problems. */
export function problemsOf(health: Health, lackedSpeakers: readonly string[]): DashboardProblem[] {
  return [...translation(health, lackedSpeakers), ...load(health), ...draining(health), ...engines(health)]
}

function* translation(
  { services, embedded, listeners }: Health,
  speakers: readonly string[],
): Generator<DashboardProblem> {
  if (embedded && !embedded.running) {
    const restarts = embedded.restarts > 0 ? `restarting (${embedded.restarts} times)` : 'starting'
    yield {
      mood: 'bad',
      title: `Embedded engines are ${restarts}.`,
      effect: 'Participants hear original voices.',
      fix: 'If this lasts longer than a minute, run `dragoman doctor`.',
    }
    return
  }
  const fallback = services.slice(1).includes('closed')
  const { needing, lacking, replaced, why } = listeners
  const away = services.length > 0 && services[0] !== 'closed' && !fallback
  if (lacking > 0 && !away)
    yield {
      mood: 'bad',
      title: `${lacking} of ${needing} ${needing === 1 ? 'listener gets' : 'listeners get'} no translation.`,
      effect: `They hear the original voice of ${speakers.join(', ')}.`,
      fix: why.map(each => FIXES[each]).join(' '),
    }
  if (replaced > 0 && !embedded)
    yield {
      mood: 'warn',
      title: `${replaced} of ${needing} ${needing === 1 ? 'listener gets' : 'listeners get'} translations of a replacement engine.`,
      effect: 'Translations continue with the replacement.',
      fix: 'Check the engines of the service at `service.url`.',
    }
  if (services.length === 0 || services[0] === 'closed') return
  if (fallback)
    yield {
      mood: 'warn',
      title: 'Translation service unavailable.',
      effect: 'A fallback service translates.',
      fix: 'Start the service at `service.url`. New sessions return to it automatically.',
    }
  else
    yield {
      mood: 'bad',
      title: 'Translation service unavailable.',
      effect: 'Participants hear original voices.',
      fix: embedded
        ? 'Run `dragoman doctor`.'
        : 'Start the service at `service.url`, or add a second one to `service.fallbacks`. The next attempt is automatic.',
    }
}

function* load({ overload, memoryPercent }: Health): Generator<DashboardProblem> {
  if (overload !== null && overload !== 'memory')
    yield {
      mood: 'bad',
      title: 'Overloaded: the process reacts too late. New calls are rejected.',
      effect: 'Current calls continue.',
      fix: 'Add CPU, or lower `relay.maxLegs`.',
    }
  if (overload === 'memory' || memoryPercent > MEMORY_PERCENT)
    yield {
      mood: 'bad',
      title: `Memory is at ${memoryPercent} % of the limit.`,
      effect: overload === null ? 'New calls are rejected near the limit.' : 'New calls are rejected.',
      fix: 'Raise the memory limit of the process.',
    }
}

function* draining({ notReady }: Health): Generator<DashboardProblem> {
  if (notReady === 'draining')
    yield {
      mood: 'warn',
      title: 'Draining. New calls are rejected.',
      effect: 'Current calls continue.',
      fix: '',
    }
}

function* engines({ embedded }: Health): Generator<DashboardProblem> {
  if (embedded?.running && embedded.missing.length > 0)
    yield {
      mood: 'warn',
      title: `Not available: ${embedded.missing.join('; ')}.`,
      effect: 'Their languages are offered only if another engine has them.',
      fix: 'Correct it and restart; `dragoman doctor` checks each engine.',
    }
  const missing = embedded?.engines.filter(({ instead }) => instead !== null) ?? []
  if (embedded?.running && missing.length > 0)
    yield {
      mood: 'warn',
      title: `Engines are replaced: ${missing.map(({ engine, instead }) => `${instead} instead of ${engine}`).join(', ')}.`,
      effect: 'Translations continue with the replacement.',
      fix: 'The log names the reason; `dragoman doctor` checks each engine.',
    }
}
