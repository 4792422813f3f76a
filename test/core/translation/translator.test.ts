import { describe } from 'vitest'
import { FailoverTranslator } from '../../../src/core/translation/failover-translator.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { FakeClock } from '../../../src/simulator/fakes/fake-clock.ts'
import { Mp3Maker, ScriptedService, silence } from '../../../src/simulator/index.ts'
import { failsFor } from '../../support/conformance/fails-for.ts'
import { conforms } from '../../support/conformance/suite.ts'
import { fakeService, type ServiceFaults } from '../../support/conformance/toy-service.ts'
import { type TranslatorSubject, translatorChecks } from '../../support/conformance/translator.ts'

conforms('a FakeTranslator is a Translator', translatorChecks, fakeService, async () => {})

/** The same with failover. */
function gated(): TranslatorSubject {
  const subject = fakeService()
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

const wrong = (faults: ServiceFaults) => () => fakeService(faults)

describe('the suite for translators', () => {
  failsFor(translatorChecks, fakeService, [
    ['is ready too soon', wrong({ readyInOpen: true }), 'opens at once, and sends nothing before it returns'],
    ['is ready twice', wrong({ readyAgain: true }), 'is ready once, before anything else'],
    ['sends too early', wrong({ sendsEarly: true }), 'accepts audio unchanged and in order, only when ready'],
    ['acknowledges twice', wrong({ acksTwice: true }), 'acknowledges each fragment once, by its number'],
    [
      'reports the end of the voice first',
      wrong({ endsVoiceFirst: true }),
      'reports results in order: growing text, final text and voice, the end of the voice',
    ],
    ['ends after an error about data', wrong({ diesOfFault: true }), 'continues after an error about data'],
    [
      'reports that a retry cannot help',
      wrong({ saysForGood: true }),
      'ends once when the service is gone, and reports that a retry can help',
    ],
    [
      'is ready although rejected',
      wrong({ readyThoughRefused: true }),
      'ends without ever being ready when it is rejected, and reports that a retry will not help',
    ],
    [
      'sends events after close',
      wrong({ talksAfterClose: true }),
      'ends when it is closed, once, even with results in transit',
    ],
    [
      'becomes ready after its end',
      wrong({ readyAfterClose: true }),
      'can be closed before it is ready, and is never ready then',
    ],
    ['mixes up connections', wrong({ mixes: true }), 'keeps connections apart'],
    [
      'leaves connections open',
      wrong({ leavesOpen: true }),
      'closes all its connections when it is closed, and can be closed again',
    ],
  ])
})
