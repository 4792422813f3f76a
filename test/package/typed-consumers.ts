import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** An external program that shows the use of the package, and what must not compile. */
export const TYPESCRIPT_CONSUMER = `
import { buildApp, type App } from 'dragoman'
import { FRAME_SAMPLES, encodeWav } from 'dragoman/transcode'
import { ServiceClient, ServiceClientError, ServiceTranslator, type LanguageEntry } from 'dragoman/service'
import { ServiceProcess } from 'dragoman/service/server'
import { CarrierDialer, registerCarrier, type Carrier } from 'dragoman/telephony'
import twilioBridge from 'dragoman/twilio'
import browserBridge from 'dragoman/browser'
import discordBridge, { inviteUrl, type DiscordBridgeOptions } from 'dragoman/discord'
import { DiscordSimulator, FakeClock, placeCall } from 'dragoman/simulator'

export const wav: Uint8Array = encodeWav(new Int16Array(FRAME_SAMPLES), 16_000)
export const translator = new ServiceTranslator({ url: 'http://localhost', apiKey: 'key' })
export const all = [twilioBridge, CarrierDialer, registerCarrier, browserBridge, discordBridge, inviteUrl('1'), DiscordSimulator, placeCall, new FakeClock().now(), ServiceProcess]
export const terms: Partial<DiscordBridgeOptions> = { apiUrl: 'https://discord.com/api' }
export const nameOf = ({ name, media: { format } }: Carrier): string => name + format.codec
export const built: (...given: Parameters<typeof buildApp>) => Promise<App> = buildApp
// @ts-expect-error: a type that became any would accept this
export const wrong: string = FRAME_SAMPLES
// @ts-expect-error: and so would a class
new ServiceTranslator({ adress: 1 })

export async function used(client: ServiceClient): Promise<string | undefined> {
  const languages: LanguageEntry[] = await client.languages()
  await client.voices({ language: 'es-es', mode: 'block', voiceGender: 'M', voiceEngine: ['neural', 'standard'] })
  // @ts-expect-error: text is translated from a language
  await client.openSession('/translator', { languageIdTarget: 'es-es' })
  await using text = await client.openSession('/translator', { languageIdSource: 'en-us', languageIdTarget: 'es-es' })
  // @ts-expect-error: a translator accepts no audio
  await text.send(new Uint8Array(2))
  await using speech = await client.openSession('/stt', { languageIdSource: 'en-us' }, { signal: AbortSignal.timeout(5_000) })
  for (const bytes of [Buffer.alloc(2), new ArrayBuffer(2), new Int16Array(1), new Blob([])]) await speech.send(bytes)
  for await (const { utterance, final, text, audio, payload } of speech) void [utterance, final, text, audio, payload]
  for await (const event of speech.events())
    if (event.kind === 'error') return [event.error.code, event.error.error, event.error.description].join()
  const { translation, audio } = await client.batch({ mode: 'sts', file: wav, languageIdSource: 'en-us' })
  const end = await speech.finish({ quietMs: 500 })
  const told = end.kind === 'failed' && end.error instanceof ServiceClientError ? end.error.by : undefined
  return translation ?? told ?? languages[0]?.languageId ?? String(audio?.length)
}
`

/** The client with the scripted service, both as installed. */
export const JAVASCRIPT_CONSUMER = `
import { ServiceClient, ServiceClientError } from 'dragoman/service'
import { ScriptedService, tone, tones } from 'dragoman/simulator'
import { SAMPLE_RATE } from 'dragoman/transcode'

const http = (_request, response) => response.end(JSON.stringify([{ languageId: 'en-us' }]))
const service = await ScriptedService.listen({ answer: tones(), http })
const client = new ServiceClient({ url: service.url, apiKey: service.apiKey })
const both = { languageIdSource: 'en-us', languageIdTarget: 'es-es' }

async function first(namespace, input) {
  await using session = await client.openSession(namespace, both)
  const reading = (async () => {
    for await (const utterance of session.utterances()) return utterance
  })()
  await session.send(input)
  await session.finish({ quietMs: 200 })
  return await reading
}

const languages = (await client.languages()).map(({ languageId }) => languageId)
const { text, translation } = await first('/translator', 'Good morning.')
const spoken = await first('/sts', tone(500, 600, SAMPLE_RATE))
await service.close()
const failed = await client.languages().catch(error => error)
let misuse
try {
  new ServiceClient({ url: 'ftp://example.com', apiKey: '' })
} catch (error) {
  misuse = error.name
}
console.log(
  JSON.stringify({
    languages,
    text: { text, translation },
    speech: { text: spoken.text, translation: spoken.translation, mp3: spoken.audio.length > 100 },
    failure: [failed instanceof ServiceClientError && failed.name, failed.code, failed.error],
    misuse,
  }),
)
process.exit()
`

type Exports = Readonly<Record<string, string | { readonly types: string }>>

/**
 * Writes programs into `folder`: the examples with the installed package, and one that imports everything that the
 * entries export. Returns their names, with the files that the compiler needs.
 */
export async function typedConsumers(project: string, folder: string, exports: Exports): Promise<string[]> {
  // Twilio's types require a package that Twilio does not install; this cannot be fixed here.
  const files = new Map([
    ['jsonwebtoken.d.ts', "declare module 'jsonwebtoken' { type Algorithm = string }\n"],
  ])
  files.set('everything.ts', (await exported(project, exports)).join('\n'))
  const examples = (await readdir(join(project, 'examples'))).filter(name => name.endsWith('.ts'))
  for (const name of examples) {
    files.set(`example-${name}`, await readFile(join(project, 'examples', name), 'utf8'))
  }
  for (const [name, text] of files) await writeFile(join(folder, name), text)
  return [...files.keys()]
}

/** The source of an entry. */
function sourceOf(entry: Exports[string]): string {
  return (typeof entry === 'string' ? entry : entry.types)
    .replace(/^\.\/dist\/(?!simulator\/)/, 'src/')
    .replace(/^\.\/dist\//, '')
    .replace(/\.d\.ts$/, '.ts')
}

async function exported(project: string, exports: Exports): Promise<string[]> {
  const lines: string[] = []
  for (const [entry, place] of Object.entries(exports)) {
    if (entry === './package.json') continue
    const source = await readFile(join(project, sourceOf(place)), 'utf8')
    for (const [, type, names = ''] of source.matchAll(/^export (type )?\{([^}]*)\}/gm))
      lines.push(imported(names, entry.replace('.', 'dragoman'), lines.length, type))
  }
  return lines
}

/** Renames each import, so that none occurs twice. */
function imported(names: string, entry: string, mark: number, type = ''): string {
  const parts = names
    .replace(/\/\/.*$/gm, '')
    .split(',')
    .flatMap(part => part.trim() || [])
    .map(part => `${type}${part.replace(/^.* as /, '')}`)
  return `import { ${parts.map(part => `${part} as ${part.replace('type ', '')}_${mark}`).join(', ')} } from '${entry}'`
}
