import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { Mp3Maker, ScriptedService, silence } from '../../../simulator/index.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { FailoverTranslator } from '../../../src/core/translation/failover-translator.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { conforms } from '../../support/conformance/suite.ts'
import { type TranslatorSubject, translatorChecks } from '../../support/conformance/translator.ts'

const lost = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })
const refused = new BridgeError('SERVICE_REFUSED', 'no')

function fake(): TranslatorSubject {
  const translator = new FakeTranslator()
  return {
    translator,
    service: {
      taken: () => translator.connections.flatMap(({ sent }) => sent.map(({ bytes }) => bytes)),
      answer: () => {
        const { sink } = translator.last
        const result = { utterance: '1', text: 'good morning' }
        const final = { ...result, final: true, translation: 'buenos días' }
        sink.result({ ...result, final: false })
        sink.result({ ...final, audio: Buffer.from('mp3') })
        sink.result({ ...final, audio: Buffer.from('more') })
        sink.endOfSpeech()
      },
      complain: () => translator.last.sink.fault(new BridgeError('SERVICE_REFUSED', 'odd')),
      drop: () => translator.last.drop({ kind: 'failed', error: lost }),
      refuse: () => {
        translator.refuse = { kind: 'failed', error: refused }
      },
    },
    patienceMs: 60,
    quietMs: 15,
  }
}

conforms('a FakeTranslator is a Translator', translatorChecks, fake, async () => {})

/** The same with failover. */
function gated(): TranslatorSubject {
  const subject = fake()
  const gate = new FailoverTranslator([subject.translator], { clock: new FakeClock(), random: () => 0.5 })
  return { ...subject, translator: gate }
}
conforms('a ServiceGate is a Translator', translatorChecks, gated, async () => {})

/** The client of the service on real sockets, with a scripted service. */
async function client(mode: 'block' | 'streaming'): Promise<TranslatorSubject & { close(): Promise<void> }> {
  const taken: Uint8Array[] = []
  const service = await ScriptedService.listen({
    answer: silence,
    onFragment: (_session, pcm) =>
      void taken.push(
        Buffer.from(Uint8Array.from(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength))),
      ),
  })
  const maker = await Mp3Maker.create()
  const translator = new ServiceTranslator({ url: service.url, apiKey: service.apiKey, mode })
  return {
    translator,
    service: {
      taken: () => taken,
      answer: () => {
        service.session?.partial({ text: 'good mor' })
        service.session?.say({
          text: 'good morning',
          translation: 'buenos días',
          audio: maker.tone(800, 1_000),
        })
      },
      complain: () => service.session?.error({ code: 'bad_audio', error: 'odd', description: 'odd' }),
      drop: () => service.session?.drop('cut'),
      refuse: () => {
        service.faults.refuseKey = true
      },
    },
    patienceMs: 5_000,
    // Loopback takes about a millisecond; a busy machine more.
    quietMs: 80,
    async close() {
      await translator.close()
      await service.close()
    },
  }
}

for (const mode of ['streaming', 'block'] as const)
  conforms(
    `a ServiceTranslator is a Translator (${mode})`,
    translatorChecks,
    () => client(mode),
    subject => subject.close(),
  )
