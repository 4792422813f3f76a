import { stringify } from 'yaml'
import type { LanguageId } from '../../common/language.ts'

/** Service that recognizes and translates speech. */
export type EngineChoice =
  /** The embedded service with the engines of this machine. */
  | { readonly kind: 'offline' }
  /** The embedded service with OpenAI’s speech-to-speech translation. */
  | { readonly kind: 'openai' }
  /** Another server of the translation-service interface. */
  | { readonly kind: 'service'; readonly url: string }

/** The answers that a settings file is made of. */
export interface InitAnswers {
  /** Language of this person, and of the people they talk to. */
  readonly speaks: LanguageId
  readonly hears: LanguageId
  readonly engines: EngineChoice
  /** Absent: no phone. */
  readonly phone?: { readonly number: string; readonly publicUrl: string } | undefined
  readonly discord: boolean
}

/** A secret that the settings need, by the variable that provides it. It is never written to the settings file. */
export interface NeededSecret {
  readonly what: string
  readonly variable: string
  /** Place where the user finds it. */
  readonly from: string
}

/** Returns the settings file for `answers`, as YAML with comments. It contains no secret. */
export function settingsFile(answers: InitAnswers): string {
  const { speaks, hears, engines, phone, discord } = answers
  const sections: [comment: string, settings: object][] = []
  if (phone)
    sections.push(['The address at which Twilio reaches this server.', { publicUrl: phone.publicUrl }])
  if (engines.kind === 'service')
    sections.push([
      'The translation service. Its key: DRAGOMAN_SERVICE_API_KEY_FILE.',
      { service: { url: engines.url } },
    ])
  if (engines.kind === 'openai')
    sections.push([
      'Speech to speech, with the key in OPENAI_API_KEY. Offline engines serve if it fails.',
      { embedded: { engines: { interpretation: [{ engine: 'openai', languages: [speaks, hears] }] } } },
    ])
  sections.push([
    'Languages of callers and of the talk page, unless a number or a person says otherwise.',
    { languages: { speaks, hears } },
  ])
  if (phone)
    sections.push([
      'A caller alone hears their own words translated. The auth token: DRAGOMAN_TWILIO_AUTH_TOKEN_FILE.',
      { twilio: { numbers: { [phone.number]: { speaks, hears } } } },
    ])
  if (discord)
    sections.push(['The bot. Its token: DRAGOMAN_DISCORD_TOKEN_FILE.', { discord: { language: speaks } }])
  const body = sections.map(([comment, settings]) => `# ${comment}\n${stringify(settings, { lineWidth: 0 })}`)
  return `# Written by dragoman init. All settings: docs/reference/settings.md.\n\n${body.join('\n')}`
}

/** Returns the secrets that the settings of `answers` need. */
export function neededSecrets({ engines, phone, discord }: InitAnswers): readonly NeededSecret[] {
  return [
    ...(engines.kind === 'openai'
      ? [{ what: 'OpenAI API key', variable: 'OPENAI_API_KEY', from: 'https://platform.openai.com/api-keys' }]
      : []),
    ...(engines.kind === 'service'
      ? [
          {
            what: 'key of the translation service',
            variable: 'DRAGOMAN_SERVICE_API_KEY_FILE',
            from: 'its operator',
          },
        ]
      : []),
    ...(phone
      ? [
          {
            what: 'Twilio auth token',
            variable: 'DRAGOMAN_TWILIO_AUTH_TOKEN_FILE',
            from: 'the Twilio Console, Account Info',
          },
        ]
      : []),
    ...(discord
      ? [
          {
            what: 'Discord bot token',
            variable: 'DRAGOMAN_DISCORD_TOKEN_FILE',
            from: 'https://discord.com/developers/applications, Bot, Reset Token',
          },
        ]
      : []),
  ]
}

/** Returns the commands that follow, in order; `program` starts this one. */
export function nextSteps(answers: InitAnswers, file: string, program: string): readonly string[] {
  const { speaks, hears, engines, phone, discord } = answers
  const config = file === 'dragoman.yaml' ? '' : ` --config ${file}`
  return [
    `${program} serve${config}`,
    ...(phone ? [`${program} twilio bind ${phone.number} --account-sid AC…${config}`] : []),
    ...(discord ? [`${program} discord invite${config}`] : []),
    // Without models, only English is understood, and roughly.
    ...(engines.kind === 'offline' ? [`${program} models add ${speaks} ${hears}${config}`] : []),
  ]
}
