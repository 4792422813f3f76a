import { BridgeError } from '../../../src/common/errors.ts'
import type { ConnectionSink, TranslationRequest } from '../../../src/core/translation/translator.ts'
import { FakeConnection, FakeTranslator } from '../../../src/simulator/fakes/fake-translator.ts'
import type { TranslatorSubject } from './translator.ts'

/** Possible faults, one per check of the suite. */
export interface ServiceFaults {
  readonly readyInOpen?: boolean
  readonly readyAgain?: boolean
  readonly sendsEarly?: boolean
  readonly acksTwice?: boolean
  readonly endsVoiceFirst?: boolean
  readonly diesOfFault?: boolean
  readonly saysForGood?: boolean
  readonly readyThoughRefused?: boolean
  readonly talksAfterClose?: boolean
  readonly readyAfterClose?: boolean
  readonly mixes?: boolean
  readonly leavesOpen?: boolean
}

class ToyConnection extends FakeConnection {
  readonly #faults: ServiceFaults

  constructor(request: TranslationRequest, sink: ConnectionSink, faults: ServiceFaults) {
    super(request, sink)
    this.#faults = faults
  }

  override send(fragment: Uint8Array, sequence: number): void {
    const before = this.sent.length
    super.send(fragment, sequence)
    const taken = this.sent.length > before
    if (!taken && this.#faults.sendsEarly && !this.closed)
      this.sent.push({ sequence, bytes: fragment.slice() })
    if (taken && this.#faults.acksTwice) this.sink.acked(sequence, true)
  }

  override close(): void {
    const { talksAfterClose, readyAfterClose } = this.#faults
    super.close()
    if (talksAfterClose) setImmediate(() => this.sink.endOfSpeech())
    if (readyAfterClose) setImmediate(() => this.sink.ready())
  }
}

class ToyService extends FakeTranslator {
  readonly #faults: ServiceFaults

  constructor(faults: ServiceFaults) {
    super()
    this.#faults = faults
  }

  protected override make(request: TranslationRequest, sink: ConnectionSink): FakeConnection {
    const { readyInOpen, readyAgain, readyThoughRefused } = this.#faults
    const connection = new ToyConnection(request, sink, this.#faults)
    if (readyInOpen) sink.ready()
    if (readyAgain) setTimeout(() => connection.closed || sink.ready(), 5)
    if (readyThoughRefused && this.refuse) sink.ready()
    return connection
  }

  override async close(): Promise<void> {
    if (!this.#faults.leavesOpen) await super.close()
  }
}

const lost = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })
const forGood = new BridgeError('SERVICE_REFUSED', 'no')

/** A `FakeTranslator` with a service; with `faults`, a faulty one. */
export function fakeService(faults: ServiceFaults = {}): TranslatorSubject {
  const translator = Object.keys(faults).length > 0 ? new ToyService(faults) : new FakeTranslator()
  const speakOn = ({ sink }: FakeConnection) => {
    const result = { utterance: '1', text: 'good morning' }
    const final = { ...result, final: true, translation: 'buenos días' }
    sink.result({ ...result, final: false })
    if (faults.endsVoiceFirst) sink.endOfSpeech()
    sink.result({ ...final, audio: Buffer.from('mp3') })
    sink.result({ ...final, audio: Buffer.from('more') })
    if (!faults.endsVoiceFirst) sink.endOfSpeech()
  }
  return {
    translator,
    service: {
      taken: () => translator.connections.flatMap(({ sent }) => sent.map(({ bytes }) => bytes)),
      answer: () => {
        if (faults.mixes) for (const connection of translator.connections) speakOn(connection)
        else speakOn(translator.last)
      },
      complain: () => {
        translator.last.sink.fault(new BridgeError('SERVICE_REFUSED', 'odd'))
        if (faults.diesOfFault) translator.last.drop({ kind: 'failed', error: lost })
      },
      drop: () => translator.last.drop({ kind: 'failed', error: faults.saysForGood ? forGood : lost }),
      refuse: () => {
        translator.refuse = { kind: 'failed', error: forGood }
      },
    },
    patienceMs: 60,
    quietMs: 15,
  }
}
