import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../../../simulator/fakes/fake-clock.ts'
import { systemClock } from '../../../../../src/common/clock.ts'
import { noopLogger } from '../../../../../src/common/log.ts'
import { EngineError } from '../../../../../src/service/engines/engine.ts'
import { findModel } from '../../../../../src/service/engines/local/sherpa/model-files.ts'
import { ModelProcess } from '../../../../../src/service/engines/local/sherpa/model-process.ts'
import {
  assertPackage,
  SherpaRecognizer,
} from '../../../../../src/service/engines/local/sherpa/sherpa-recognizer.ts'
import { SherpaSynthesizer } from '../../../../../src/service/engines/local/sherpa/sherpa-synthesizer.ts'
import { serveRecognizers } from '../../../../../src/service/engines/serve.ts'
import { EngineUsage } from '../../../../../src/service/engines/usage/engine-usage.ts'
import { Phrasebook } from '../../../../../src/service/engines/vocabulary/phrasebook.ts'
import { Vocabulary, vocabularySchema } from '../../../../../src/service/engines/vocabulary/vocabulary.ts'
import { FakeRecognizer } from '../../../../support/engines/fake-engines.ts'
import { joined } from '../../../../support/engines/recordings.ts'
import { node, onnxModel, value } from '../../../../support/engines/sherpa/onnx-writer.ts'
import { ctcFiles } from '../../../../support/engines/sherpa/streaming-tone-models.ts'
import {
  HAS_SHERPA,
  HeardTones,
  onceRestarted,
  recognition,
  type ToneModels,
  voice,
  writeToneModels,
} from '../../../../support/engines/sherpa/tone-engines.ts'
import { tones } from '../../../../support/engines/sherpa/tone-words.ts'
import { quiet } from '../../../../support/transcode/tone.ts'
import { until } from '../../../../support/until.ts'

const PATIENCE_MS = 30_000
let models: ToneModels

beforeAll(async () => {
  models = await writeToneModels()
})
afterAll(() => models[Symbol.asyncDispose]())

const talk = joined(quiet(300), tones('one two three'), quiet(1_500))

/** The error of an engine that cannot be created. */
async function failure(settings: Parameters<typeof recognition>[0]): Promise<string> {
  const error = await SherpaRecognizer.create(recognition(settings), systemClock).catch(
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return (error as Error).message
}

describe('sherpa-onnx without its package', () => {
  it('names the command that installs it', () =>
    expect(() => assertPackage('synthesis', () => undefined)).toThrow(
      'sherpa: its package is not installed: run npm install sherpa-onnx-node@1',
    ))
})

describe.skipIf(!HAS_SHERPA)('sherpa-onnx processes', () => {
  it('end with a model whose graph is damaged, which is reported with the reason', async () => {
    const damaged = onnxModel({
      inputs: [value('x', [1])],
      outputs: [value('y', [1])],
      nodes: [node('NoSuchOperation', ['x'], ['y'])],
      metadata: { decode_chunk_len: 32 },
    })
    const model = await models.write('damaged', { ...ctcFiles(), 'model.onnx': damaged })
    const message = await failure({ model })
    expect(message).toMatch(/^sherpa: cannot load the model: ended with (SIGABRT|exit code \d+): /)
    expect(message).toContain('NoSuchOperation')
  })

  it('end with tokens that have no blank, which is reported', async () => {
    const model = await models.write('no-blank', { ...ctcFiles(), 'tokens.txt': 'A 0\nB 1\n' })
    expect(await failure({ model })).toMatch(/^sherpa: cannot load the model: ended with .*blk/)
  })

  it('report a missing detector, and a detector that is none', async () => {
    const missing = join(models.folder, 'no.onnx')
    expect(await failure({ model: models.ctc, vad: missing })).toBe(`sherpa: vad: ${missing} does not exist`)
    const vad = join(models.ctc, 'model.onnx')
    expect(await failure({ model: models.ctc, vad })).toContain('Unsupported silero vad model')
  })

  it('report a model that takes too long to load', async () => {
    const clock = new FakeClock()
    const failed = expect(SherpaRecognizer.create(recognition({ model: models.ctc }), clock)).rejects.toThrow(
      'sherpa: cannot load the model: the model is not loaded after 120000 ms',
    )
    await until(() => clock.pending > 0, PATIENCE_MS, 'the start of the process')
    clock.advance(120_000)
    await failed
  })

  it('that are killed during a stream fail it, and are replaced for the next one', async () => {
    const engine = await SherpaRecognizer.create(recognition({ model: models.ctc }), systemClock)
    const [first] = engine.pids
    const cut = new HeardTones()
    const broken = await engine.open('en-us', cut)
    broken.write(tones('one two three'))
    await cut.someText()
    process.kill(first!, 'SIGKILL')
    const error = await cut.failure()
    expect(error).toBeInstanceOf(EngineError)
    expect(error.message).toBe('sherpa: its process ended with SIGKILL')
    broken.write(tones('four'))
    expect(broken.queuedMs).toBe(0)
    await broken.close()

    const heard = new HeardTones()
    const next = await onceRestarted(() => engine.open('en-us', heard))
    next.write(talk)
    expect((await heard.until(1)).map(({ text }) => text)).toEqual(['one two three'])
    expect(engine.pids).not.toContain(first)
    await next.close()
    await engine.close()
  })

  it('that are killed while they speak fail the speech, and are replaced for the next one', async () => {
    const engine = await SherpaSynthesizer.create(voice({ model: models.vits }), systemClock)
    const never = new AbortController().signal
    const { voiceId } = engine.voices[0]!
    const long = Array<string>(200).fill('one two three four five six seven eight').join('. ')
    const { pieces } = await engine.speak(long, voiceId, never)
    process.kill(engine.pids[0]!, 'SIGKILL')
    await expect(
      (async () => {
        for await (const _ of pieces);
      })(),
    ).rejects.toThrow('sherpa: its process ended with SIGKILL')
    const again = await onceRestarted(() => engine.speak('one', voiceId, never))
    let samples = 0
    for await (const piece of again.pieces) samples += piece.length
    expect(samples).toBeGreaterThanOrEqual(4_000)
    await engine.close()
  })

  it('rest after three failures in a row, and the next engine takes over', async () => {
    const model = await models.write('short-lived', ctcFiles())
    const engine = await SherpaRecognizer.create(recognition({ model }), systemClock)
    await rm(join(model, 'model.onnx'))
    const [first] = engine.pids
    process.kill(first!, 'SIGKILL')
    await until(() => !engine.pids.includes(first!), PATIENCE_MS, 'the end of the process')
    const fallback = new FakeRecognizer()
    const replaced: unknown[] = []
    const usage = { replaced: (...what: unknown[]) => void replaced.push(what), served() {} }
    const meters = new EngineUsage()
    const [chain] = serveRecognizers(
      [engine, fallback].map(each => ({ engine: each, meter: meters.meter('transcription', each.name) })),
      {
        ...{ usage, log: noopLogger, phrases: new Phrasebook() },
        vocabulary: new Vocabulary(vocabularySchema.parse({})),
      },
    )
    await chain!.open('en-us', new HeardTones())
    expect(fallback.streams.length).toBe(1)
    expect(replaced.length).toBe(1)
    await expect(engine.open('en-us', new HeardTones())).rejects.toThrow(/^sherpa: cannot load the model: /)
    expect(engine.pids).toEqual([])
    await engine.close()
  })

  it('that stop responding are killed', async () => {
    const clock = new FakeClock()
    const { kind, files } = await findModel('synthesis', { model: models.vits })
    const load = { task: 'synthesis' as const, model: { kind, files }, threads: 1 }
    const model = await ModelProcess.start({ load, clock })
    const lost: string[] = []
    model.add({ reply() {}, lost: ({ message }) => void lost.push(message) })
    process.kill(model.pid!, 'SIGSTOP')
    clock.advance(9_000)
    expect(lost).toEqual(['sherpa: its process did not respond for 8000 ms'])
    expect([model.ready, model.starting]).toEqual([false, true])
    clock.advance(100)
    await model.settled()
    expect(model.ready).toBe(true)
    model.close()
  })

  it('decode while this process has not loaded sherpa-onnx', async () => {
    const engine = await SherpaRecognizer.create(recognition({ model: models.ctc }), systemClock)
    const heard = new HeardTones()
    const stream = await engine.open('en-us', heard)
    // A suspended child recognizes nothing, and this process goes on.
    process.kill(engine.pids[0]!, 'SIGSTOP')
    stream.write(talk)
    await new Promise(resolve => setTimeout(resolve, 100))
    expect([heard.partials, heard.finals, stream.queuedMs]).toEqual([[], [], 2_850])
    process.kill(engine.pids[0]!, 'SIGCONT')
    await heard.until(1)
    const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] }
    expect(sharedObjects.filter(path => /sherpa|onnxruntime/.test(path))).toEqual([])
    await stream.close()
    await engine.close()
  })

  it('end with the engine', async () => {
    const engine = await SherpaRecognizer.create(
      recognition({ model: models.ctc, processes: 2 }),
      systemClock,
    )
    const { pids } = engine
    await engine.close()
    await until(() => pids.every(pid => !alive(pid)), PATIENCE_MS, 'the end of the processes')
    await expect(engine.open('en-us', new HeardTones())).rejects.toThrow('sherpa: is closed')
  })

  it('report a file that is empty', async () => {
    const model = await models.write('emptied', ctcFiles())
    await writeFile(join(model, 'tokens.txt'), '')
    expect(await failure({ model })).toMatch(/^sherpa: cannot load the model: /)
  })
})

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
