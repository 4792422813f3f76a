import type { HealthFigures } from '../protocol.ts'

/** A problem that needs an operator: what happened, what participants notice, and what fixes it. */
export interface SystemProblem {
  /** Stable while the problem lasts. */
  readonly key: string
  /** `bad` needs an operator; `warn` does not, but explains what participants notice. */
  readonly mood: 'bad' | 'warn'
  readonly title: string
  readonly effect: string
  /** Parts between backticks are code; empty if no action is needed. */
  readonly fix: string
}

/** Share of the memory limit from which it is a problem (%). */
const MEMORY_PERCENT = 80

/** Returns the most severe problem; undefined if all is well. Counters and load alone are not problems. */
export function systemProblem(health: HealthFigures): SystemProblem | undefined {
  const { services, embedded, overloadReason, draining, memoryPercent, listeners } = health
  if (embedded && !embedded.running)
    return {
      key: 'engines',
      mood: 'bad',
      title: `Embedded engines are ${embedded.restarts > 0 ? `restarting (${embedded.restarts} times)` : 'starting'}.`,
      effect: 'Participants hear original voices.',
      fix: 'If this lasts longer than a minute, run `dragoman doctor`.',
    }
  const fallback = services.slice(1).includes('closed')
  const { needing, lacking, speakers } = listeners
  if (lacking > 0 && (fallback || services[0] === 'closed'))
    return {
      key: 'untranslated',
      mood: 'bad',
      title: `${lacking} of ${needing} ${needing === 1 ? 'listener gets' : 'listeners get'} no translation.`,
      effect: `They hear the original voice of ${speakers.join(', ')}.`,
      fix: 'The log names the reason, for example that all sessions of the service are in use.',
    }
  if (services.length > 0 && services[0] !== 'closed')
    return {
      key: `service ${fallback}`,
      mood: fallback ? 'warn' : 'bad',
      title: 'Translation service unavailable.',
      effect: fallback ? 'A fallback service translates.' : 'Participants hear original voices.',
      fix: fallback
        ? 'Start the service at `service.url`. New sessions return to it automatically.'
        : embedded
          ? 'Run `dragoman doctor`.'
          : 'Start the service at `service.url`, or add a second one to `service.fallbacks`. The next attempt is automatic.',
    }
  if (overloadReason !== null && overloadReason !== 'memory')
    return {
      key: 'load',
      mood: 'bad',
      title: 'Overloaded: the process reacts too late. New calls are rejected.',
      effect: 'Current calls continue.',
      fix: 'Add CPU, or lower `relay.maxLegs`.',
    }
  if (overloadReason === 'memory' || memoryPercent > MEMORY_PERCENT)
    return {
      key: `memory ${overloadReason !== null}`,
      mood: 'bad',
      title: `Memory is at ${memoryPercent} % of the limit.`,
      effect: overloadReason === null ? 'New calls are rejected near the limit.' : 'New calls are rejected.',
      fix: 'Raise the memory limit of the process.',
    }
  if (draining)
    return {
      key: 'draining',
      mood: 'warn',
      title: 'Draining. New calls are rejected.',
      effect: 'Current calls continue.',
      fix: '',
    }
  if (embedded && embedded.standIns.length > 0)
    return {
      key: `stand-ins ${embedded.standIns.join()}`,
      mood: 'warn',
      title: `Engines are replaced: ${embedded.standIns.join(', ')}.`,
      effect: 'Translations continue with the replacement.',
      fix: 'The log names the reason; `dragoman doctor` checks each engine.',
    }
  return undefined
}
