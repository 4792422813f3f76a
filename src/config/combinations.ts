import type { z } from 'zod'
import { isLoopback } from '../service/server/service-config.ts'
import { checkCalls } from './call-combinations.ts'
import type { CheckedConfig } from './schema.ts'

/** Says what is allowed at a key, for values that are fine alone and wrong together. */
export type Wrong = (path: string[], allowed: string) => void

/** What is to be started with the settings; each needs some of them together, or cannot have them so. */
export type Started = 'bridge' | 'service'

/** Settings that exclude each other, whatever is done with them. */
export function checkTogether(config: CheckedConfig, context: z.core.$RefinementCtx): void {
  checkTwilio(config, wrongIn(context))
  checkCalls(config, wrongIn(context))
  checkDiscord(config, wrongIn(context))
}

/** The same for what is to be started. */
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
    wrong(['twilio', token], 'the auth token of the Twilio account, as publicUrl is set')
  if (publicUrl === undefined && signed && !twilio.insecure)
    wrong(['publicUrl'], `the https:// address that Twilio calls, as twilio.${token} is set`)
  if (service.url === undefined && port !== 0 && port === embedded.port)
    wrong(['embedded', 'port'], '0 for any free one, or another than port')
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
    wrong(['twilio', 'insecure'], 'false, as an auth token is set')
  if (!isLoopback(host)) wrong(['host'], '127.0.0.1 with twilio.insecure, which is for this machine only')
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')))
    wrong(['publicUrl'], 'nothing, or an address on this machine, with twilio.insecure')
}

function checkDiscord({ discord, twilio }: CheckedConfig, wrong: Wrong): void {
  if (discord.dialRoles.length > 0 && !twilio.outbound)
    wrong(['discord', 'dialRoles'], 'nothing, unless twilio.outbound says how to dial out')
}

function checkEmbedded({ host, open, engines }: CheckedConfig['embedded'], wrong: Wrong): void {
  if (open && !isLoopback(host))
    wrong(['embedded', 'open'], `false, as embedded.host is ${host}: without keys, this machine only`)
  const { grammar, grammars } = engines.pocketsphinx
  if (grammar === undefined || Object.hasOwn(grammars, grammar)) return
  const names = Object.keys(grammars).join(', ')
  const allowed = names === '' ? 'nothing, as there are no grammars' : `one of the grammars: ${names}`
  wrong(['embedded', 'engines', 'pocketsphinx', 'grammar'], allowed)
}
