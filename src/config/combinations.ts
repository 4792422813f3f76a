import type { z } from 'zod'
import { isLoopback } from '../service/server/service-config.ts'
import { checkCalls } from './call-combinations.ts'
import type { CheckedConfig } from './schema.ts'

/** Reports the allowed value of a key whose value is valid alone but conflicts with another. */
export type Wrong = (path: string[], allowed: string) => void

/** Program to start; each requires or forbids certain settings. */
export type Started = 'bridge' | 'service'

/** Checks settings that exclude each other in every program. */
export function checkTogether(config: CheckedConfig, context: z.core.$RefinementCtx): void {
  checkTwilio(config, wrongIn(context))
  checkCalls(config, wrongIn(context))
  checkDiscord(config, wrongIn(context))
}

/** Checks the combinations that the programs to start require. */
export function checkStart(
  started: Started,
): (config: CheckedConfig, context: z.core.$RefinementCtx) => void {
  return (config, context) => {
    if (started === 'bridge') checkBridge(config, wrongIn(context))
    if (started === 'service' || config.service.url === undefined)
      checkEmbedded(config.embedded, wrongIn(context))
  }
}

function wrongIn(context: z.core.$RefinementCtx): Wrong {
  return (path, message) => context.addIssue({ code: 'custom', path, message })
}

function checkBridge({ twilio, publicUrl, service, embedded, port }: CheckedConfig, wrong: Wrong): void {
  const token = twilio.authTokens === undefined ? 'authToken' : 'authTokens'
  const signed = twilio.authToken !== undefined || (twilio.authTokens ?? []).length > 0
  if (publicUrl !== undefined && !signed && !twilio.insecure)
    wrong(['twilio', token], 'the auth token of the Twilio account, because publicUrl is set')
  if (publicUrl === undefined && signed && !twilio.insecure)
    wrong(['publicUrl'], `the https:// address that Twilio calls, because twilio.${token} is set`)
  if (service.url === undefined && port !== 0 && port === embedded.port)
    wrong(['embedded', 'port'], '0 for any free port, or a value other than port')
}

function checkTwilio({ twilio, publicUrl, host = '127.0.0.1' }: CheckedConfig, wrong: Wrong): void {
  if (twilio.authToken !== undefined && twilio.authTokens !== undefined)
    wrong(['twilio', 'authTokens'], 'either authToken or authTokens, not both')
  if (!twilio.insecure) {
    if (publicUrl !== undefined && !publicUrl.startsWith('https:'))
      wrong(['publicUrl'], 'an https:// address (Twilio needs it; http only with twilio.insecure)')
    return
  }
  if (twilio.authToken !== undefined || twilio.authTokens !== undefined)
    wrong(['twilio', 'insecure'], 'false, because an auth token is set')
  if (!isLoopback(host))
    wrong(['host'], '127.0.0.1 with twilio.insecure, which is restricted to this machine')
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')))
    wrong(['publicUrl'], 'no value, or an address on this machine, with twilio.insecure')
}

function checkDiscord({ discord, twilio }: CheckedConfig, wrong: Wrong): void {
  if (discord.dialRoles.length > 0 && !twilio.outbound)
    wrong(['discord', 'dialRoles'], 'no value, unless twilio.outbound configures outbound calls')
}

function checkEmbedded({ host, open, engines }: CheckedConfig['embedded'], wrong: Wrong): void {
  if (open && !isLoopback(host))
    wrong(
      ['embedded', 'open'],
      `false, because embedded.host is ${host}: without keys, only this machine is allowed`,
    )
  const { grammar, grammars } = engines.pocketsphinx
  if (grammar === undefined || Object.hasOwn(grammars, grammar)) return
  const names = Object.keys(grammars).join(', ')
  const allowed =
    names === '' ? 'no value, because no grammars are configured' : `one of the grammars: ${names}`
  wrong(['embedded', 'engines', 'pocketsphinx', 'grammar'], allowed)
}
