/**
 * Speaks a text into an mp3 file.
 *
 *   SERVICE_URL=http://127.0.0.1:4000 SERVICE_KEY=… npm run example examples/speak.ts es-es "Buenos días." spoken.mp3
 */
import { writeFile } from 'node:fs/promises'
import { ServiceClient, ServiceClientError } from 'dragoman/service'

const { SERVICE_URL = '', SERVICE_KEY = '' } = process.env
const [languageIdTarget = 'es-es', text = 'Buenos días.', file = 'spoken.mp3'] = process.argv.slice(2)

const client = new ServiceClient({ url: SERVICE_URL, apiKey: SERVICE_KEY })
try {
  const voices = await client.voices({ language: languageIdTarget, mode: 'block' })
  console.log(`${voices.length} voices, the first: ${voices[0]?.name ?? 'none'}`)
  await using session = await client.openSession('/tts', {
    languageIdTarget,
    receiveAudio: { sampleRate: 24_000 },
  })
  await session.send(text)
  await session.finish()
  for await (const { audio } of session.utterances()) {
    if (!audio) continue
    await writeFile(file, audio)
    console.log(`${audio.length} bytes of mp3 in ${file}`)
  }
} catch (error) {
  if (!(error instanceof ServiceClientError)) throw error
  console.error(
    `${error.code}/${error.error}: ${error.description}${error.retryable ? ' Try again later.' : ''}`,
  )
  process.exitCode = 1
}
