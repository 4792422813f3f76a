import { chmod, mkdir, readdir, rename, rm, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Clock } from '../../common/clock.ts'
import {
  type InstalledModel,
  type ModelManifest,
  manifestPath,
  readManifest,
} from '../../service/engines/local/installed-models.ts'
import { withLock } from '../../service/server/keys/file-lock.ts'
import { writeFileAtomic } from '../../storage/atomic-file.ts'
import { CommandError } from '../errors.ts'
import { type CatalogModel, fileName } from './catalog.ts'
import { Downloader, digestOf, discard, partialName } from './download.ts'
import { filesIn, unpack } from './unpack.ts'

/** Folders of the installation itself; their names are no names of models. */
const DOWNLOADS = '.downloads'
const UNPACKING = '.unpacking'
/** An archive can be larger than the catalog says: the estimate of an entry without a digest. */
const UNPACKED_FACTOR = 2

/** What an installation is doing. */
export interface Progress {
  readonly model: string
  readonly step: 'download' | 'unpack'
  readonly bytes: number
  readonly total: number
}

export interface InstallOptions {
  readonly folder: string
  readonly mirror?: string | undefined
  /** Accept files whose digest the catalog does not know, and store the one that was seen. */
  readonly trustOnFirstUse: boolean
  readonly clock: Clock
  readonly now: () => Date
  readonly signal?: AbortSignal | undefined
  readonly progress?: ((progress: Progress) => void) | undefined
  /** Called when a model is complete. */
  readonly installed?: ((model: CatalogModel) => void) | undefined
}

/** Throws a `CommandError` if the catalog has no digest for a file of `models`. */
export function assertDigests(models: readonly CatalogModel[]): void {
  const names = models
    .filter(({ files }) => files.some(({ sha256 }) => sha256 === undefined))
    .map(({ name }) => name)
  if (names.length > 0)
    throw new CommandError(
      `the catalog has no SHA-256 for ${names.join(', ')}: add --trust-on-first-use to accept what is downloaded now, and to store its digest`,
    )
}

/** Space that an installation needs at most (bytes): the unpacked files, and the largest download. */
export function neededSpace(models: readonly CatalogModel[]): number {
  const downloads = models.map(({ files }) => files.reduce((sum, { bytes }) => sum + bytes, 0))
  return models.reduce((sum, { unpacked }) => sum + unpacked, 0) + Math.max(0, ...downloads)
}

/** Free space where `folder` is or will be (bytes); undefined if the system does not tell. */
export async function freeSpace(folder: string): Promise<number | undefined> {
  for (let at = resolve(folder); ; at = resolve(at, '..')) {
    const found = await statfs(at).catch(() => undefined)
    if (found) return found.bavail * found.bsize
    if (at === resolve(at, '..')) return undefined
  }
}

/**
 * Installs models one after the other: downloads, verifies and unpacks each beside its place, moves it there and lists it
 * in the manifest. `languages` are added last, so the service uses what is complete. Whatever interrupts it, the next call
 * continues: complete models stay, partial downloads are resumed, unpacking starts over.
 */
export async function install(
  models: readonly CatalogModel[],
  languages: readonly string[],
  options: InstallOptions,
): Promise<void> {
  const { folder, clock, trustOnFirstUse } = options
  if (!trustOnFirstUse) assertDigests(models)
  await mkdir(join(folder, DOWNLOADS), { recursive: true })
  await withLock(manifestPath(folder), clock, async () => {
    for (const name of await readdir(folder))
      if (name.startsWith(UNPACKING)) await rm(join(folder, name), { recursive: true })
    const downloader = (progress: (received: number, total: number) => void) =>
      new Downloader({ ...options, folder: join(folder, DOWNLOADS), progress })
    for (const model of models) {
      const manifest = await readManifest(folder)
      if (
        await isComplete(
          folder,
          manifest.models.find(({ name }) => name === model.name),
        )
      )
        continue
      const installed = await one(model, downloader, options)
      const others = manifest.models.filter(({ name }) => name !== model.name)
      await save(folder, { ...manifest, models: [...others, installed] })
      for (const file of model.files) await discard(join(folder, DOWNLOADS, partialName(file, model.name)))
      options.installed?.(model)
    }
    const manifest = await readManifest(folder)
    await save(folder, { ...manifest, languages: Array.from(new Set([...manifest.languages, ...languages])) })
  })
}

async function one(
  model: CatalogModel,
  downloader: (progress: (received: number, total: number) => void) => Downloader,
  options: InstallOptions,
): Promise<InstalledModel> {
  const { folder, signal, progress, now } = options
  const { name, files, unpacked, source: _, ...shape } = model
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let before = 0
  const downloads: (InstalledModel['downloads'][number] & { path: string })[] = []
  const get = downloader(received =>
    progress?.({
      model: name,
      step: 'download',
      bytes: before + received,
      total: Math.max(all, before + received),
    }),
  )
  for (const file of files) {
    const { path, sha256 } = await get.get(file, name)
    before += file.bytes
    downloads.push({
      file: fileName(file),
      sha256,
      trust: file.sha256 === undefined ? 'first use' : 'catalog',
      path,
    })
  }
  const draft = join(folder, `${UNPACKING}-${name}`)
  await mkdir(draft)
  let done = 0
  for (const [index, file] of files.entries()) {
    let bytes = 0
    await unpack(downloads[index]!.path, file, draft, {
      most: UNPACKED_FACTOR * unpacked + 10e6,
      signal,
      progress: unpackedBytes => {
        bytes = unpackedBytes
        progress?.({
          model: name,
          step: 'unpack',
          bytes: done + bytes,
          total: Math.max(unpacked, done + bytes),
        })
      },
    })
    done += bytes
  }
  const found = await filesIn(draft)
  if (found.length === 0) throw new CommandError(`${name} contains no files`)
  const listed: InstalledModel['files'] = []
  for (const each of found) listed.push({ ...each, sha256: await digestOf(join(draft, each.path)) })
  signal?.throwIfAborted()
  await rm(join(folder, name), { recursive: true, force: true })
  await rename(draft, join(folder, name))
  return {
    name,
    ...shape,
    installedAt: now().toISOString(),
    downloads: downloads.map(({ path: _, ...download }) => download),
    files: listed,
  }
}

/**
 * Removes models and languages: first from the manifest, then their files. A running service keeps what it has loaded;
 * when it needs the files again, its other engines serve. Returns the names of the removed models.
 */
export async function remove(what: readonly string[], folder: string, clock: Clock): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  return await withLock(manifestPath(folder), clock, async () => {
    const manifest = await readManifest(folder)
    const unknown = what.filter(
      each => !manifest.languages.includes(each) && !manifest.models.some(({ name }) => name === each),
    )
    if (unknown.length > 0) {
      const known = [...manifest.languages, ...manifest.models.map(({ name }) => name)].join(', ')
      throw new CommandError(`${unknown.join(', ')} is not installed; installed: ${known || 'nothing'}`)
    }
    const languages = manifest.languages.filter(each => !what.includes(each))
    const gone = manifest.languages.filter(each => what.includes(each))
    const stays = (model: InstalledModel) => !what.includes(model.name) && !onlyFor(model, gone, languages)
    let models = manifest.models.filter(stays)
    if (models.every(({ kind }) => kind !== 'transcription'))
      models = models.filter(({ kind }) => kind !== 'detection')
    await save(folder, { ...manifest, languages, models })
    const removed = manifest.models.filter(model => !models.includes(model)).map(({ name }) => name)
    for (const name of removed) await rm(join(folder, name), { recursive: true, force: true })
    return removed
  })
}

/** True for a model that was there for the languages `gone`, and serves none of the others. */
function onlyFor(
  { kind, languages }: InstalledModel,
  gone: readonly string[],
  others: readonly string[],
): boolean {
  const own = languages.map(each => each.split('-')[0]!)
  if (!own.some(each => gone.includes(each))) return false
  return kind === 'translation' || !own.some(each => others.includes(each))
}

/** True if the files of a model are there, with their sizes. */
async function isComplete(folder: string, model: InstalledModel | undefined): Promise<boolean> {
  if (!model) return false
  const found = await filesIn(join(folder, model.name)).catch(() => [])
  const sizes = new Map(found.map(({ path, bytes }) => [path, bytes]))
  return model.files.every(({ path, bytes }) => sizes.get(path) === bytes)
}

/** Other users, such as that of a service, can read the list as they can read the models. */
async function save(folder: string, manifest: ModelManifest): Promise<void> {
  const path = manifestPath(folder)
  await writeFileAtomic(path, `${JSON.stringify(manifest, undefined, 2)}\n`)
  await chmod(path, 0o644)
}
