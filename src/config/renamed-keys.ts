import { KEYS, variableOf } from './keys.ts'

/** Former path of each renamed key, with its current one. `*` stands for any entry of a list. */
export const RENAMED_KEYS: ReadonlyMap<string, string> = new Map([
  ...limits('limits'),
  ['limits.requestMs', 'limits.requestTimeoutMs'],
  ['limits.stalledMs', 'limits.connectionTimeoutMs'],
  ['drain.askSeconds', 'drain.resumeDelaySeconds'],
  ['service.sessionMinutes', 'service.maxSessionMinutes'],
  ['service.places', 'service.resultPaths'],
  ...limits('embedded.limits'),
  ['embedded.admitBehindMs', 'embedded.admitLagMs'],
  ['embedded.maxBehindMs', 'embedded.warnLagMs'],
  ['embedded.endBehindMs', 'embedded.endLagMs'],
  ['embedded.engines.pocketsphinx.longMs', 'embedded.engines.pocketsphinx.maxUtteranceMs'],
  ['embedded.engines.transcription.*.longMs', 'embedded.engines.transcription.*.maxUtteranceMs'],
  ['embedded.engines.transcription.*.restMs', 'embedded.engines.transcription.*.cooldownMs'],
  ['embedded.engines.translation.*.restMs', 'embedded.engines.translation.*.cooldownMs'],
  ['embedded.engines.synthesis.*.restMs', 'embedded.engines.synthesis.*.cooldownMs'],
  ['relay.levelling', 'relay.normalizeLoudness'],
  ['relay.levelDb', 'relay.targetLoudnessDb'],
  ['relay.lowDb', 'relay.original.lowDb'],
  ['relay.softDb', 'relay.original.duckIdleDb'],
  ['relay.duckDb', 'relay.original.duckActiveDb'],
  ['relay.awayAfterMs', 'relay.connectTimeoutMs'],
  ['relay.keepMs', 'relay.reconnectWindowMs'],
  ['sounds.waitMs', 'sounds.timeoutMs'],
  ['attendant.awayNoticeMs', 'attendant.outageNoticeAfterMs'],
  ['attendant.awayAgainMs', 'attendant.outageNoticeEveryMs'],
  ['attendant.backNoticeMs', 'attendant.recoveryNoticeAfterMs'],
  ['recording.when', 'recording.mode'],
  ['tracing.service', 'tracing.serviceName'],
  ['webhooks.*.texts', 'webhooks.*.includeTexts'],
  ['webhooks.*.local', 'webhooks.*.allowPrivateAddresses'],
  ['transcripts.keep', 'transcripts.store'],
  ['calls.remembered', 'calls.callerLanguages'],
  ['twilio.outbound.allow', 'twilio.outbound.allowedPrefixes'],
  ['twilio.outbound.perMinute', 'twilio.outbound.maxCallsPerMinute'],
  ['twilio.outbound.perHourEach', 'twilio.outbound.maxCallsPerHourPerDestination'],
  ['discord.turnSilenceMs', 'discord.endOfTurnSilenceMs'],
  ['discord.indicator', 'discord.nicknameIndicator'],
  ['browser.visitors', 'browser.access'],
])

/** Notices of `sounds.notices`, below any language. */
const RENAMED_NOTICES: ReadonlyMap<string, string> = new Map([
  ['service-away', 'service-unavailable'],
  ['channel-away', 'channel-unavailable'],
])

/** The limits that both servers have. */
function limits(section: string): [string, string][] {
  const renamed = {
    headersMs: 'headersTimeoutMs',
    idleMs: 'keepAliveTimeoutMs',
    strangersPerSecond: 'unauthenticatedPerSecond',
    strangersPerSecondInAll: 'unauthenticatedPerSecondTotal',
    neighbours: 'exemptAddresses',
    maxLateMs: 'maxEventLoopLagMs',
  }
  return Object.entries(renamed).map(([former, current]) => [`${section}.${former}`, `${section}.${current}`])
}

/** Returns the current path of the key at the former `path`, or undefined if no key was renamed there. */
export function renamedKey(path: readonly PropertyKey[]): string | undefined {
  const [section, table, language, notice] = path.map(String)
  const renamedNotice =
    section === 'sounds' && table === 'notices' ? RENAMED_NOTICES.get(notice ?? '') : undefined
  if (renamedNotice !== undefined) return `sounds.notices.${language}.${renamedNotice}`
  const former = path.map(part => (typeof part === 'number' ? '*' : String(part))).join('.')
  const current = RENAMED_KEYS.get(former)?.split('.')
  return current?.map((part, n) => (part === '*' ? String(path[n]) : part)).join('.')
}

/** Returns the current name of a former variable, also of a table’s keys and of a secret’s `…_FILE`. */
export function renamedVariable(variable: string): string | undefined {
  for (const [former, current] of RENAMED_KEYS) {
    const start = variableOf(former)
    if (variable !== start && !variable.startsWith(`${start}_`)) continue
    const renamed = variableOf(current) + variable.slice(start.length)
    const known = KEYS.some(
      key => key.variable === renamed || (key.secret && `${key.variable}_FILE` === renamed),
    )
    if (known) return renamed
  }
  return undefined
}
