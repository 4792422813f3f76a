import type { Spoken } from '../incoming-call.ts'
import { escapeXml, response, xml } from '../markup/call-xml.ts'
import type { CallInstructions, KeyPlan, StreamPlan } from '../ports/call-instructions.ts'
import { extraHeaders } from './extra-headers.ts'
import { contentTypeOf, type PlivoAudio } from './wire.ts'

/** `CallInstructions` in Plivo XML (Plivo: XML). */
export function plivoXml(audio: PlivoAudio): CallInstructions {
  return {
    connectStream: plan => xml(connectStream(plan, audio)),
    waitAndAsk: (seconds, url) => xml(response(wait(seconds) + redirect(url))),
    gatherKeys: plan => xml(gatherKeys(plan)),
    playAndHangUp: urls => xml(response(`${plays(urls)}<Hangup/>`)),
    sayAndHangUp: spoken => xml(response(`${speak(spoken)}<Hangup/>`)),
    // As the first element of a call that has not been answered.
    reject: reason => xml(response(`<Hangup reason="${reason}"/>`)),
    hangUp: () => xml(response('<Hangup/>')),
  }
}

/** With `keepCallAlive`, the redirect runs once the stream has ended; without, Plivo would continue at once. */
function connectStream(
  { streamUrl, parameters, resumeUrl, pauseSeconds = 0 }: StreamPlan,
  audio: PlivoAudio,
): string {
  const attributes = [
    'bidirectional="true"',
    'keepCallAlive="true"',
    `contentType="${contentTypeOf(audio)}"`,
    `extraHeaders="${escapeXml(extraHeaders(parameters))}"`,
  ].join(' ')
  const stream = `<Stream ${attributes}>${escapeXml(streamUrl)}</Stream>`
  return response(`${pauseSeconds > 0 ? wait(pauseSeconds) : ''}${stream}${redirect(resumeUrl)}`)
}

/** The redirect runs if no key was pressed. */
function gatherKeys({ playUrls, actionUrl, keys, pauseSeconds }: KeyPlan): string {
  const seconds = whole(pauseSeconds)
  const attributes = [
    `action="${escapeXml(actionUrl)}"`,
    'method="POST"',
    ...(keys === undefined ? [] : [`numDigits="${whole(keys)}"`]),
    'finishOnKey="#"',
    `timeout="${seconds}"`,
    `digitTimeout="${seconds}"`,
    'retries="1"',
  ].join(' ')
  return response(`<GetDigits ${attributes}>${plays(playUrls)}</GetDigits>${redirect(actionUrl)}`)
}

function redirect(url: string): string {
  return `<Redirect method="POST">${escapeXml(url)}</Redirect>`
}

function wait(seconds: number): string {
  return `<Wait length="${whole(seconds)}"/>`
}

/** Plivo accepts positive integers only. */
function whole(number: number): number {
  return Math.max(1, Math.round(number))
}

function plays(urls: readonly string[]): string {
  return urls.map(url => `<Play>${escapeXml(url)}</Play>`).join('')
}

/** Languages of `<Speak>`; the first of each language is its default. */
const SPOKEN = [
  ...['en-US', 'en-GB', 'en-AU', 'es-ES', 'es-US', 'fr-FR', 'fr-CA', 'pt-BR', 'pt-PT'],
  ...['da-DK', 'nl-NL', 'de-DE', 'it-IT', 'pl-PL', 'ru-RU', 'sv-SE'],
]
/** Languages without a voice of a woman, which is the default. */
const MALE = ['pt-PT']

function speak({ text, language = 'en-US' }: Spoken): string {
  const spoken = spokenLanguage(language)
  const voice = MALE.includes(spoken) ? ' voice="MAN"' : ''
  return `<Speak language="${spoken}"${voice}>${escapeXml(text)}</Speak>`
}

/** Plivo rejects other languages: takes a variant of the same language, otherwise English. */
function spokenLanguage(language: string): string {
  const wanted = language.toLowerCase()
  const [base = ''] = wanted.split('-')
  return (
    SPOKEN.find(each => each.toLowerCase() === wanted) ??
    SPOKEN.find(each => each.startsWith(`${base}-`)) ??
    'en-US'
  )
}
