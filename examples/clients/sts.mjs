/**
 * A client of the interface in plain JavaScript that uses only socket.io-client: speaks a 16 kHz WAV file and prints
 * every event as a line of JSON.
 *
 *   node examples/clients/sts.mjs http://127.0.0.1:4000 key file.wav [from] [to]
 */
import { readFileSync } from 'node:fs'
import { io } from 'socket.io-client'

const [url, key, file, languageIdSource = 'en-us', languageIdTarget = 'es-es'] = process.argv.slice(2)
const HEADER_BYTES = 44
const FRAGMENT_BYTES = 3_200
const SILENCE_FRAGMENTS = 12

const headers = { 'x-api-key': key }
const languages = await (await fetch(`${url}/api/languages`, { headers })).json()
print('languages', languages.length)

const socket = io(`${url}/sts`, {
  transports: ['websocket'],
  upgrade: false,
  reconnection: false,
  auth: { token: key },
  query: {
    languageIdSource,
    languageIdTarget,
    sendAudio: JSON.stringify({ broadcastVia: 'chunk', codec: 'linear16', sampleRate: 16000 }),
    receiveAudio: JSON.stringify({ obtainVia: 'chunk', codec: 'mp3', sampleRate: 16000, mode: 'block' }),
  },
})
socket.on('connect', () => print('connect'))
socket.on('connected', parameters => print('connected', parameters))
socket.on('result', ({ text, translation, file }) =>
  print('result', { text, translation, bytes: file?.data.length }),
)
socket.on('error', error => print('error', error))
socket.on('connect_error', error => print('connect_error', error.data ?? error.message))
socket.on('disconnect', reason => print('disconnect', reason))
socket.on('start', async ready => {
  print('start', ready)
  const audio = readFileSync(file).subarray(HEADER_BYTES)
  let taken = 0
  for (let at = 0; at < audio.length; at += FRAGMENT_BYTES)
    if (await send(audio.subarray(at, at + FRAGMENT_BYTES))) taken++
  for (let n = 0; n < SILENCE_FRAGMENTS; n++) await send(Buffer.alloc(FRAGMENT_BYTES))
  print('taken', taken)
})
socket.on('endSynth', () => {
  print('endSynth')
  socket.disconnect()
})

function send(fragment) {
  return new Promise(resolve => socket.emit('write_stream', fragment, resolve))
}

function print(event, payload) {
  console.log(JSON.stringify([event, payload ?? null]))
}
