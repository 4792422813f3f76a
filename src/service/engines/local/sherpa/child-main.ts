/**
 * Entry point of a model process, started by `ModelProcess`: one model, either for recognition or for synthesis. The
 * first message says what to load. It decodes on its own, otherwise idle main thread, and ends with its parent.
 */
import type { ModelReply, ModelRequest } from './messages.ts'
import { loadRecognition, loadVoices } from './model-loading.ts'
import { loadSherpaPackage } from './native-package.ts'
import { RecognitionHost } from './recognition-host.ts'
import { SynthesisHost } from './synthesis-host.ts'

let recognition: RecognitionHost | undefined
let synthesis: SynthesisHost | undefined

process.on('message', (message: ModelRequest) => take(message))
// Threads of the library can be working, so a regular exit could wait for them or crash.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// Ctrl-C reaches the whole process group; the parent decides when its processes end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
// Node would open its inspector.
process.on('SIGUSR1', () => {})

function take(message: ModelRequest): void {
  switch (message.type) {
    case 'load':
      void load(message.load)
      return
    case 'ask':
      reply({ type: 'alive' })
      return
    case 'open':
      recognition?.open(message.stream, message.language)
      return
    case 'audio':
      recognition?.write(message.stream, message.pcm)
      return
    case 'finish':
      recognition?.finish(message.stream)
      return
    case 'close':
      recognition?.close(message.stream)
      return
    case 'speak':
      synthesis?.speak(message.speech, message)
      return
    case 'stop':
      synthesis?.stop(message.speech)
      return
    default:
      message satisfies never
  }
}

async function load(what: Extract<ModelRequest, { type: 'load' }>['load']): Promise<void> {
  try {
    const sherpa = loadSherpaPackage()
    if (what.task === 'synthesis') {
      const voices = await loadVoices(sherpa, what)
      synthesis = new SynthesisHost(voices, reply)
      reply({ type: 'ready', sampleRate: voices.sampleRate, speakers: voices.numSpeakers })
      return
    }
    const model = await loadRecognition(sherpa, what, (stream, error) => recognition?.fail(stream, error))
    recognition = new RecognitionHost(model, reply)
    reply({ type: 'ready', sampleRate: 16_000, speakers: 0 })
  } catch (error) {
    // The parent ends this process.
    reply({ type: 'failed', message: (error as Error).message })
  }
}

function reply(message: ModelReply): void {
  if (process.connected) process.send?.(message, ignore)
}

/** A parent that has just ended is not an error: this process ends as soon as it notices. */
function ignore(): void {}
