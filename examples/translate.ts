/**
 * Translates the given texts, or every line of standard input.
 *
 *   SERVICE_URL=http://127.0.0.1:4000 SERVICE_KEY=… npm run example examples/translate.ts en-us es-es "Good morning." "See you."
 */
import { createInterface } from 'node:readline'
import { ServiceClient } from 'dragoman/service'

const { SERVICE_URL = '', SERVICE_KEY = '' } = process.env
const [languageIdSource = 'en-us', languageIdTarget = 'es-es', ...texts] = process.argv.slice(2)

const client = new ServiceClient({ url: SERVICE_URL, apiKey: SERVICE_KEY })
await using session = await client.openSession('/translator', { languageIdSource, languageIdTarget })

const reading = (async () => {
  for await (const { text, translation } of session)
    console.log(`${text} → ${translation ?? '(no translation)'}`)
})()

// Awaiting `send` keeps only as many texts in transit as the service accepts.
for await (const text of texts.length > 0 ? texts : createInterface(process.stdin)) await session.send(text)
await session.finish()
await reading
