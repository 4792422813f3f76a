import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CatalogFile, CatalogModel } from '../../../src/cli/models/catalog.ts'
import { type InstallOptions, install, remove } from '../../../src/cli/models/install.ts'
import type { Clock } from '../../../src/common/clock.ts'
import { modelEntries, readManifest } from '../../../src/service/engines/local/installed-models.ts'
import { Mirror, sha256 } from '../../support/models/mirror.ts'

/** Pauses between attempts pass at once, timeouts never. Each look at the clock takes 50 ms. */
function hurriedClock(): Clock {
  let now = 0
  return {
    now: () => (now += 50),
    at(deadline, task) {
      const soon = deadline - now <= 1_100 ? setImmediate(task) : undefined
      return { [Symbol.dispose]: () => clearImmediate(soon) }
    },
  }
}

/** Bytes that do not compress, the same in each run. */
function noise(length: number, seed = 1): Uint8Array {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

/** `m/` with model.onnx, tokens.txt, espeak-ng-data/phontab, test_wavs/a.wav, and a link to /etc/passwd. */
const ARCHIVE = Buffer.from(
  'QlpoOTFBWSZTWUZr3GoAAVt/hMmIAEBAA/+AAECGEf7v38AAAIDoMAEMzYJRFPUzU9E0A0DQAaDT1GQSiaU8p5QADQaNBoAABVTSU8mmhGepBo9QNA9QaYm1LvQFVk8bzOPZmPQio4B4WV82gEJ0QREplpXUxrajNK+gdNUXwvsmMguDtEAmCJEx+iYwdSmvWj7iGqGHNOVxprpoEpS27fQrVq8CAFlUSiUnTyMAwuW5B4VRhEGfQEUgj4k1R0wcMRcyK6TCGoVEWlU5igeKk9Bme73yIkhIbjASixHb2QJSYv1zFy2rcrqC17xYcig+W/IWBdgjUOwcBmbmhXDEW5RwgTVyyTFlykc+MuUFpVXity00g/xdyRThQkEZr3Go',
  'base64',
)
const WEIGHTS = noise(400_000)
const PACKED = gzipSync(WEIGHTS)
const WORDS = gzipSync('words')

function file(name: string, content: Uint8Array, more: Partial<CatalogFile> = {}): CatalogFile {
  return {
    addresses: [`https://example.invalid/v1/${name}`],
    bytes: content.length,
    sha256: sha256(content),
    ...more,
  }
}
const shape = { license: 'MIT', memory: 1_000_000, source: 'https://example.invalid/' }
const translator: CatalogModel = {
  ...shape,
  name: 'translator-en-es',
  kind: 'translation',
  languages: ['en', 'es'],
  unpacked: 400_005,
  files: [
    file('model.enes.bin.gz', PACKED, { unpack: 'gz' }),
    file('vocab.enes.spm.gz', WORDS, { unpack: 'gz' }),
  ],
}
const voice: CatalogModel = {
  ...shape,
  name: 'voice-es',
  kind: 'synthesis',
  languages: ['es-es'],
  voices: [{ name: 'ana', gender: 'F' }],
  unpacked: 100,
  files: [file('m.tar.bz2', ARCHIVE, { unpack: 'tar.bz2' })],
}

let folder: string
let mirror: Mirror

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'models-'))
  mirror = await Mirror.start({
    'translator-en-es/model.enes.bin.gz': PACKED,
    'translator-en-es/vocab.enes.spm.gz': WORDS,
    'voice-es/m.tar.bz2': ARCHIVE,
  })
})
afterEach(async () => {
  await mirror[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

function add(models: readonly CatalogModel[], options: Partial<InstallOptions> = {}): Promise<void> {
  return install(models, ['en', 'es'], {
    ...{ folder, mirror: mirror.url, trustOnFirstUse: false, clock: hurriedClock() },
    now: () => new Date('2026-01-02T03:04:05Z'),
    ...options,
  })
}

const leftovers = async () => (await readdir(folder)).filter(name => name.startsWith('.unpacking'))
const installedNames = async () => (await readManifest(folder)).models.map(({ name }) => name)

const weights = async () => sha256(await readFile(join(folder, 'translator-en-es', 'model.enes.bin')))

/** What is listed is complete and has the right content, whatever happened before. */
async function expectComplete(): Promise<void> {
  expect(await leftovers()).toEqual([])
  expect(await installedNames()).toEqual(['translator-en-es'])
  expect(await weights()).toBe(sha256(WEIGHTS))
  expect(await readFile(join(folder, 'translator-en-es', 'vocab.enes.spm'), 'utf8')).toBe('words')
  expect(await readdir(join(folder, '.downloads'))).toEqual([])
}

test('models are downloaded, verified, unpacked and listed, and a second run does nothing', async () => {
  await add([translator, voice])
  const { languages, models } = await readManifest(folder)
  expect(languages).toEqual(['en', 'es'])
  expect(models.map(({ name, installedAt }) => [name, installedAt])).toEqual([
    ['translator-en-es', '2026-01-02T03:04:05.000Z'],
    ['voice-es', '2026-01-02T03:04:05.000Z'],
  ])
  // Neither the recordings nor the link of the archive.
  expect(models[1]!.files.map(({ path }) => path)).toEqual([
    'espeak-ng-data/phontab',
    'model.onnx',
    'tokens.txt',
  ])
  expect(models[1]!.files[1]!.sha256).toBe(sha256(Buffer.from('model')))
  expect((await modelEntries(folder, 8e9)).map(({ refused }) => refused)).toEqual([undefined, undefined])
  const { length } = mirror.requests
  await add([translator, voice])
  expect(mirror.requests.length).toBe(length)
})

describe('an interruption at every tenth', () => {
  const tenths = Array.from({ length: 10 }, (_, at) => at / 10)

  test.each(tenths)('of the download, at %d, is resumed where it stopped', async share => {
    const stop = new AbortController()
    const progress: InstallOptions['progress'] = ({ step, bytes, total }) => {
      if (step === 'download' && bytes >= share * total) stop.abort(new Error('stopped'))
    }
    await expect(add([translator], { signal: stop.signal, progress })).rejects.toThrow('stopped')
    expect(await installedNames()).toEqual([])
    await add([translator])
    await expectComplete()
  })

  test.each(tenths)('of the unpacking, at %d, starts it over without another download', async share => {
    const stop = new AbortController()
    const progress: InstallOptions['progress'] = ({ step, bytes, total }) => {
      if (step === 'unpack' && bytes >= share * total) stop.abort(new Error('stopped'))
    }
    await expect(add([translator], { signal: stop.signal, progress })).rejects.toThrow('stopped')
    expect(await installedNames()).toEqual([])
    expect(await modelEntries(folder, 8e9)).toEqual([])
    const { sent } = mirror
    await add([translator])
    expect(mirror.sent).toBe(sent)
    await expectComplete()
  })

  test('by the network is resumed in the same run', async () => {
    mirror.breaks.push(...tenths.map(() => 40_000))
    await add([translator], { progress: () => mirror.cut() })
    await expectComplete()
    expect(mirror.requests.filter(({ range }) => range !== undefined).length).toBeGreaterThan(5)
    expect(mirror.sent).toBeLessThan(PACKED.length + WORDS.length + 1_000)
  })
})

describe('nothing is installed, and the message names the cause,', () => {
  test('for a wrong digest', async () => {
    mirror.files.set(
      'translator-en-es/model.enes.bin.gz',
      gzipSync(noise(400_000, 2)).subarray(0, PACKED.length),
    )
    await expect(add([translator])).rejects.toThrow(
      /has the SHA-256 [0-9a-f]{64}, the catalog says .* deleted/,
    )
    expect(await installedNames()).toEqual([])
    mirror.files.set('translator-en-es/model.enes.bin.gz', PACKED)
    await add([translator])
    await expectComplete()
  })

  test('for a file that ends early', async () => {
    mirror.files.set('translator-en-es/model.enes.bin.gz', PACKED.subarray(0, 100_000))
    await expect(add([translator])).rejects.toThrow(/ended after 100000 of \d+ bytes; run the command again/)
    mirror.files.set('translator-en-es/model.enes.bin.gz', PACKED)
    await add([translator])
    await expectComplete()
  })

  test('for a file that is larger', async () => {
    mirror.files.set('translator-en-es/model.enes.bin.gz', noise(PACKED.length + 1))
    await expect(add([translator])).rejects.toThrow(/larger than the catalog says/)
  })

  test('for an address that answers with an error', async () => {
    mirror.files.delete('translator-en-es/vocab.enes.spm.gz')
    await expect(add([translator])).rejects.toThrow(/vocab.enes.spm.gz answered 404/)
  })

  test('without a network, with the variable of a mirror', async () => {
    const gone = await Mirror.start()
    const closed = gone.url
    await gone[Symbol.asyncDispose]()
    await expect(add([translator], { mirror: closed })).rejects.toThrow(
      /^cannot reach 127\.0\.0\.1:\d+ \(ECONNREFUSED\); without access to the internet, set DRAGOMAN_MODELS_URL/,
    )
  })

  test('for an archive that is none', async () => {
    const files = [file('m.tar.bz2', WORDS, { unpack: 'tar.bz2' })]
    mirror.files.set('voice-es/m.tar.bz2', WORDS)
    await expect(add([{ ...voice, files }])).rejects.toThrow(/m.tar.bz2 is damaged and cannot be unpacked/)
    expect(await leftovers()).toEqual(['.unpacking-voice-es'])
    mirror.files.set('voice-es/m.tar.bz2', ARCHIVE)
    await rm(join(folder, '.downloads'), { recursive: true })
    await add([voice])
    expect(await leftovers()).toEqual([])
  })

  test('for an archive that unpacks to far more than expected', async () => {
    const bomb = gzipSync(new Uint8Array(11_000_000))
    mirror.files.set('translator-en-es/bomb.gz', bomb)
    const files = [file('bomb.gz', bomb, { unpack: 'gz' })]
    await expect(add([{ ...translator, unpacked: 1_000, files }])).rejects.toThrow(/unpacks to more than/)
  })

  test('on a full disk', async () => {
    await mkdir(join(folder, '.downloads'))
    await symlink('/dev/full', join(folder, '.downloads', 'translator-en-es-model.enes.bin.gz.partial'))
    mirror.answer = (_request, response) => {
      // As if resumed: a new file would replace the link.
      response
        .writeHead(206, { 'content-range': `bytes 0-${PACKED.length - 1}/${PACKED.length}` })
        .end(PACKED)
      return true
    }
    await expect(add([translator])).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await installedNames()).toEqual([])
  })

  test('for a file without a digest in the catalog, unless the first download is trusted', async () => {
    const unknown = { ...translator, files: translator.files.map(({ sha256: _, ...rest }) => rest) }
    await expect(add([unknown])).rejects.toThrow(/no SHA-256 for translator-en-es: add --trust-on-first-use/)
    mirror.breaks.push(200_000)
    await add([unknown], { trustOnFirstUse: true, progress: () => mirror.cut() })
    await expectComplete()
    const [model] = (await readManifest(folder)).models
    expect(model!.downloads[0]).toEqual({
      file: 'model.enes.bin.gz',
      sha256: sha256(PACKED),
      trust: 'first use',
    })
  })
})

test('a file that has changed at its address since the interruption is downloaded again', async () => {
  const unknown = {
    ...translator,
    files: [{ ...translator.files[0]!, sha256: undefined }, translator.files[1]!],
  }
  const other = gzipSync(noise(300_000, 3))
  mirror.breaks.push(100_000)
  mirror.answer = request => {
    if (request.headers.range) mirror.files.set('translator-en-es/model.enes.bin.gz', other)
    return false
  }
  await add([unknown], { trustOnFirstUse: true, progress: () => mirror.cut() })
  expect(await weights()).toBe(sha256(noise(300_000, 3)))
})

test('the next address is used when one does not have the file', async () => {
  const [first, second] = translator.files as [CatalogFile, CatalogFile]
  const at = `${mirror.url}/translator-en-es`
  const addresses = [`${at}/nothing.gz`, `${at}/model.enes.bin.gz`]
  const files = [
    { ...first, addresses },
    { ...second, addresses: [`${at}/vocab.enes.spm.gz`] },
  ]
  await add([{ ...translator, files }], { mirror: undefined })
  expect(await installedNames()).toEqual(['translator-en-es'])
  expect(mirror.requests.map(({ name }) => name)).toEqual([
    'translator-en-es/nothing.gz',
    'translator-en-es/model.enes.bin.gz',
    'translator-en-es/vocab.enes.spm.gz',
  ])
})

test('a second process says that the first one is at work', async () => {
  const arrived = Promise.withResolvers<void>()
  mirror.answer = () => {
    arrived.resolve()
    return true
  }
  const stop = new AbortController()
  const first = add([translator], { signal: stop.signal })
  await arrived.promise
  await expect(add([translator])).rejects.toThrow(/is locked by another process/)
  stop.abort(new Error('stopped'))
  await expect(first).rejects.toThrow('stopped')
})

test('a damaged model is not used, and adding it repairs it', async () => {
  await add([translator])
  await writeFile(join(folder, 'translator-en-es', 'vocab.enes.spm'), 'w')
  expect(await modelEntries(folder, 8e9)).toMatchObject([
    { refused: expect.stringMatching(/vocab.enes.spm is damaged: install translator-en-es again/) },
  ])
  await add([translator])
  await expectComplete()
})

test('a language is removed with the models that serve only it', async () => {
  await add([translator, voice])
  await expect(remove(['fr'], folder, hurriedClock())).rejects.toThrow(
    'fr is not installed; installed: en, es, translator-en-es, voice-es',
  )
  expect(await remove(['es'], folder, hurriedClock())).toEqual(['translator-en-es', 'voice-es'])
  expect(await readManifest(folder)).toMatchObject({ languages: ['en'], models: [] })
  expect((await readdir(folder)).sort()).toEqual(['.downloads', 'manifest.json'])
})
