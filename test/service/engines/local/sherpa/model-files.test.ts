import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EngineError } from '../../../../../src/service/engines/engine.ts'
import { findModel, inspectModel } from '../../../../../src/service/engines/local/sherpa/model-files.ts'
import { readOnnxMetadata } from '../../../../../src/service/engines/local/sherpa/onnx-metadata.ts'
import { node, onnxModel, tensor, value } from '../../../../support/engines/sherpa/onnx-writer.ts'
import { transducerFiles } from '../../../../support/engines/sherpa/streaming-tone-models.ts'
import { type ToneModels, writeToneModels } from '../../../../support/engines/sherpa/tone-engines.ts'
import { voiceFiles } from '../../../../support/engines/sherpa/utterance-tone-models.ts'

let models: ToneModels
let folders = 0

beforeAll(async () => {
  models = await writeToneModels()
})
afterAll(() => models[Symbol.asyncDispose]())

/** A model that only has metadata. */
function withMetadata(metadata: Record<string, string | number>): Uint8Array {
  return onnxModel({
    inputs: [value('x', [1])],
    outputs: [value('y', [1])],
    constants: [tensor('large', [100_000], new Float32Array(100_000))],
    nodes: [node('Identity', ['x'], ['y'])],
    metadata,
  })
}

/** A folder of empty files, except those with content. */
function folderOf(...names: (string | [name: string, content: Uint8Array | string])[]): Promise<string> {
  const plain = withMetadata({})
  const files = names.map(each =>
    typeof each === 'string' ? ([each, each.endsWith('.onnx') ? plain : ''] as const) : each,
  )
  return models.write(`folder-${folders++}`, Object.fromEntries(files))
}

describe('metadata of a model', () => {
  it('is read without the graph', async () => {
    const folder = await folderOf([
      'model.onnx',
      withMetadata({ model_type: 'zipformer2', T: 45, text: 'ñ, 中' }),
    ])
    const metadata = await readOnnxMetadata(join(folder, 'model.onnx'))
    expect([...metadata]).toEqual([
      ['model_type', 'zipformer2'],
      ['T', '45'],
      ['text', 'ñ, 中'],
    ])
  })

  it.each([
    ['a text', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n'],
    ['nothing', ''],
    ['part of a model', withMetadata({ a: 'b' }).subarray(0, 5_000)],
    ['zeros', new Uint8Array(1_000)],
    ['an unfinished number', new Uint8Array([0x08, 0xff, 0xff])],
  ])('is not read from %s', async (_name, content) => {
    const folder = await folderOf(['model.onnx', content])
    const path = join(folder, 'model.onnx')
    await expect(readOnnxMetadata(path)).rejects.toThrow(new RangeError(`${path} is not an ONNX model`))
  })
})

describe('the kind of a model', () => {
  it.each([
    ['ctc', 'streaming-zipformer2-ctc'],
    ['transducer', 'streaming-transducer'],
    ['senseVoice', 'sense-voice'],
    ['whisper', 'whisper'],
  ] as const)('is known for the tiny %s model', async (name, kind) => {
    expect((await findModel('transcription', { model: models[name] })).kind).toBe(kind)
  })

  it.each([
    [{ window_size: 25, chunk_shift: 14 }, 'streaming-transducer'],
    [{ pred_hidden: 640 }, 'nemo-transducer'],
    [{}, 'transducer'],
  ])('of a transducer depends on the metadata of its encoder: %o', async (metadata, kind) => {
    const folder = await folderOf(
      ['encoder.int8.onnx', withMetadata(metadata)],
      ...['decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
    )
    expect((await inspectModel('transcription', { model: folder })).kind).toBe(kind)
  })

  it('is seen in the names of Moonshine and of streaming models without metadata', async () => {
    const moonshine = await folderOf(
      ...['preprocess.onnx', 'encode.int8.onnx', 'uncached_decode.int8.onnx', 'cached_decode.int8.onnx'],
      'tokens.txt',
    )
    const { kind, files } = await findModel('transcription', { model: moonshine })
    expect(kind).toBe('moonshine')
    expect(files.cachedDecoder).toBe(join(moonshine, 'cached_decode.int8.onnx'))
    expect(files.uncachedDecoder).toBe(join(moonshine, 'uncached_decode.int8.onnx'))
    const chunked = await folderOf(
      ...['encoder-epoch-99-avg-1-chunk-16-left-128.onnx', 'decoder-epoch-99-avg-1.onnx'],
      ...['joiner-epoch-99-avg-1.onnx', 'tokens.txt'],
    )
    expect((await findModel('transcription', { model: chunked })).kind).toBe('streaming-transducer')
  })

  it('of a voice depends on its files', async () => {
    const kinds = [
      await folderOf('en_US-amy.onnx', 'tokens.txt', 'espeak-ng-data'),
      await folderOf(
        ...['model.onnx', 'voices.bin', 'tokens.txt', 'espeak-ng-data'],
        ...['lexicon-us-en.txt', 'lexicon-gb-en.txt', 'lexicon-zh.txt'],
      ),
      await folderOf('model-steps-3.onnx', 'vocos-22khz-univ.onnx', 'tokens.txt', 'espeak-ng-data'),
    ].map(model => findModel('synthesis', { model }))
    const [piper, kokoro, matcha] = await Promise.all(kinds)
    expect([piper!.kind, kokoro!.kind, matcha!.kind]).toEqual(['vits', 'kokoro', 'matcha'])
    expect(kokoro!.files.lexicon?.split(',').map(path => path.slice(path.lastIndexOf('/') + 1))).toEqual([
      'lexicon-zh.txt',
      'lexicon-us-en.txt',
    ])
    expect(matcha!.files.acousticModel).toMatch(/model-steps-3\.onnx$/)
    expect(matcha!.files.vocoder).toMatch(/vocos-22khz-univ\.onnx$/)
  })

  it('can be unknown', async () => {
    const folder = await folderOf('model.onnx', 'tokens.txt')
    await expect(findModel('transcription', { model: folder })).rejects.toThrow(
      `${folder} is not a model of a known kind: check the folder`,
    )
  })
})

describe('the files of a model', () => {
  it('are the quantized ones', async () => {
    const folder = await folderOf('tokens.txt', ...['model.onnx', 'model.int8.onnx', 'model.fp16.onnx'])
    const { files } = await findModel('synthesis', { model: folder })
    expect(files.model).toBe(join(folder, 'model.int8.onnx'))
  })

  it('are named when they are missing', async () => {
    const folder = await models.write('half', transducerFiles())
    await rm(join(folder, 'decoder.onnx'))
    await rm(join(folder, 'tokens.txt'))
    const error = await findModel('transcription', { model: folder }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(EngineError)
    expect((error as Error).message).toBe(
      `sherpa: ${folder} has no decoder*.onnx, tokens.txt, for a streaming-transducer model`,
    )
    const nowhere = join(models.folder, 'nowhere')
    await expect(findModel('synthesis', { model: nowhere })).rejects.toThrow(`${nowhere} does not exist`)
    const text = await folderOf(['model.onnx', 'no model'], 'tokens.txt')
    await expect(findModel('transcription', { model: text })).rejects.toThrow(
      'model.onnx is not an ONNX model',
    )
  })

  it('have a size and a source', async () => {
    const files = voiceFiles()
    const inventory = await inspectModel('synthesis', { model: models.vits })
    expect(inventory.bytes).toBe(
      Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0),
    )
    expect(inventory.found.map(({ part }) => part)).toEqual(['model', 'tokens', 'lexicon'])
    expect(inventory.source.downloads).toBe('https://github.com/k2-fsa/sherpa-onnx/releases/tag/tts-models')
    expect(inventory).toMatchObject({ kind: 'vits', missing: [], problem: undefined })
  })
})
