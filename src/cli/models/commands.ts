import { availableParallelism, cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Config, modelsMirror } from '../../app/settings/load.ts'
import { type Clock, systemClock } from '../../common/clock.ts'
import { howToInstall, missingOf } from '../../common/optional-package.ts'
import {
  type InstalledModel,
  machineMemory,
  memoryProblem,
  modelEntries,
  readManifest,
} from '../../service/engines/local/installed-models.ts'
import { EngineUsage } from '../../service/engines/usage/engine-usage.ts'
import { choiceOf, configuredEngines, openAlone } from '../engines/configured-engines.ts'
import { CommandError } from '../errors.ts'
import { columnOf, startedAs, type Terminal, tableLines } from '../terminal.ts'
import { type CatalogModel, parseCatalog, readCatalog, select } from './catalog.ts'
import { digestOf, mirrorCatalog } from './download.ts'
import { assertDigests, freeSpace, install, neededSpace, type Progress, remove } from './install.ts'

export interface AddOptions {
  readonly yes?: boolean | undefined
  readonly trustOnFirstUse?: boolean | undefined
}

/** Replaceable by tests. */
export interface AddContext {
  readonly clock: Clock
  readonly mirror: string | undefined
  readonly memory: number
  /** Answers yes or no. */
  readonly ask: (question: string) => Promise<boolean>
}

const REAL: AddContext = {
  clock: systemClock,
  get mirror() {
    return modelsMirror()
  },
  get memory() {
    return machineMemory()
  },
  ask: askOnTerminal,
}

/** Optional packages for models: to unpack, recognize and translate. */
const NEEDED = ['archives', 'sherpa', 'firefox'] as const

/** `dragoman models add`: shows what it will do, asks, and installs. */
export async function addModels(
  config: Config,
  what: readonly string[],
  { yes = false, trustOnFirstUse = false }: AddOptions,
  terminal: Terminal,
  { clock, mirror, memory, ask }: AddContext = REAL,
): Promise<void> {
  const lacking = NEEDED.filter(part => missingOf(part).length > 0)
  if (lacking.length > 0)
    throw new CommandError(`models need packages that are not installed: run ${howToInstall(...lacking)}`)
  const own = mirror === undefined ? undefined : await mirrorCatalog(mirror, clock)
  const catalog = own === undefined ? readCatalog() : parseCatalog(own)
  const folder = config.embedded.models
  const { models, languages, notes } = select(what, catalog)
  const { models: present } = await readManifest(folder)
  const missing = models.filter(({ name }) => !present.some(each => each.name === name))
  if (!trustOnFirstUse) assertDigests(missing)
  const head = ['', 'model', 'languages', 'download', 'license']
  const rows = models.map(model => [
    model.kind,
    model.name,
    columnOf(model.languages),
    missing.includes(model) ? megabytes(downloadOf(model)) : 'installed',
    model.license,
  ])
  for (const line of tableLines([head, ...rows])) terminal.line(line)
  for (const note of notes) terminal.line(`Note: ${note}.`)

  const needed = [...present.filter(({ name }) => models.every(model => model.name !== name)), ...models]
  const loaded = needed.reduce((sum, model) => sum + model.memory, 0)
  const space = missing.length === 0 ? 0 : neededSpace(missing)
  const free = await freeSpace(folder)
  const download = missing.reduce((sum, model) => sum + downloadOf(model), 0)
  terminal.line(
    `${megabytes(download)} to download, ${megabytes(space)} of space${free === undefined ? '' : ` (${megabytes(free)} are free)`}, about ${megabytes(loaded)} of memory when in use (${megabytes(memory)} in this machine).`,
  )
  const problem = memoryProblem(loaded, memory)
  if (problem !== undefined)
    throw new CommandError(
      `this machine cannot run them together: it ${problem}; choose fewer languages, or a hosted engine`,
    )
  if (free !== undefined && free < space)
    throw new CommandError(`${folder} has ${megabytes(free)} of free space, ${megabytes(space)} are needed`)
  if (missing.length > 0 && !yes && !(await ask(`Install into ${folder}?`))) {
    terminal.line('Nothing was installed.')
    return
  }

  const meter = new TransferMeter(clock)
  const stop = new AbortController()
  const interrupt = () => stop.abort(new CommandError('interrupted; run the command again to continue'))
  process.once('SIGINT', interrupt)
  try {
    await install(models, languages, {
      ...{ folder, mirror, trustOnFirstUse, clock, signal: stop.signal },
      now: () => new Date(),
      progress: progress => {
        const line = meter.line(progress)
        // A log shows only the steps.
        if (terminal.interactive) terminal.status(line)
        else if (meter.begins) terminal.line(line)
      },
      installed: ({ name }) => {
        terminal.status('')
        terminal.line(`${name} is installed.`)
      },
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    throw new CommandError(
      `no space is left for ${folder}: free ${megabytes(space)}, and run the command again to continue`,
    )
  } finally {
    terminal.status('')
    process.off('SIGINT', interrupt)
  }
  terminal.line(
    `Done. The next ${startedAs() === 'npm run dragoman --' ? 'npm start' : `${startedAs()} serve`} uses them.`,
  )
}

/** `dragoman models list`: what is installed; with `all`, also what could be. */
export async function listModels(
  config: Config,
  { json, all }: { readonly json?: boolean | undefined; readonly all?: boolean | undefined },
  terminal: Terminal,
): Promise<void> {
  const folder = config.embedded.models
  const { languages, models } = await readManifest(folder)
  const refused = new Map(
    (await modelEntries(folder)).flatMap(entry => entry.models.map(name => [name, entry.refused] as const)),
  )
  const rows = models.map(model => ({
    kind: model.kind,
    name: model.name,
    languages: model.languages,
    bytes: sizeOf(model),
    license: model.license,
    state: refused.get(model.name) ?? 'installed',
  }))
  const others = all
    ? readCatalog()
        .filter(({ name }) => models.every(each => each.name !== name))
        .map(({ kind, name, languages, unpacked: bytes, license }) => ({
          ...{ kind, name, languages, bytes, license, state: 'available' },
        }))
    : []
  const listed = [...rows, ...others]
  if (json) return terminal.line(JSON.stringify({ folder, languages, models: listed }, undefined, 2))
  if (listed.length === 0)
    return terminal.line(`No models in ${folder}. Install some: ${startedAs()} models add en es`)
  const head = ['', 'model', 'languages', 'size', 'license', 'state']
  const table = listed.map(({ kind, name, languages, bytes, license, state }) => [
    ...[kind, name, columnOf(languages), megabytes(bytes), license, state],
  ])
  for (const line of tableLines([head, ...table])) terminal.line(line)
  if (languages.length > 0) terminal.line(`Used for: ${languages.join(' ')}`)
}

/** The result of `models check` for one model. */
interface CheckedModel {
  readonly name: string
  readonly files: 'ok' | string
  readonly downloads: InstalledModel['downloads']
}

/**
 * `dragoman models check`: compares the digests of all files, and loads the models. Returns the exit code: 1 if something
 * is wrong. The output names no path and no person, so that it can be sent to the maintainers.
 */
export async function checkModels(
  config: Config,
  { json }: { readonly json?: boolean | undefined },
  terminal: Terminal,
  { version, clock = systemClock }: { readonly version: string; readonly clock?: Clock },
): Promise<number> {
  const folder = resolve(config.embedded.models)
  const { models } = await readManifest(folder)
  if (models.length === 0)
    throw new CommandError(`no models in ${folder}; install some: ${startedAs()} models add en es`)
  const checked: CheckedModel[] = []
  for (const model of models) {
    terminal.status(`${model.name} …`)
    checked.push({ name: model.name, files: await filesState(folder, model), downloads: model.downloads })
  }
  const loaded: { engine: string; models: readonly string[]; ok: boolean; result: string }[] = []
  for (const entry of await modelEntries(folder)) {
    const { kind, refused } = entry
    const engine = `${kind}/${entry.settings.engine}`
    if (refused !== undefined) {
      loaded.push({ engine, models: entry.models, ok: false, result: refused.replaceAll(folder, '…') })
      continue
    }
    terminal.status(`${engine} …`)
    const place = entry.settings.model
    const configured = (await configuredEngines(config.embedded)).find(
      each =>
        each.kind === kind &&
        each.name.startsWith(String(entry.settings.engine)) &&
        (place === undefined || choiceOf(each).model === place),
    )
    const begun = clock.now()
    try {
      const set = await openAlone(configured!, new EngineUsage())
      await proveTranslators(set.translators[0], models)
      loaded.push({
        engine,
        models: entry.models,
        ok: true,
        result: `loaded in ${seconds(clock.now() - begun)}`,
      })
      await set.close()
    } catch (error) {
      loaded.push({
        engine,
        models: entry.models,
        ok: false,
        result: (error as Error).message.replaceAll(folder, '…'),
      })
    }
  }
  terminal.status('')
  const machine = `${process.platform} ${process.arch}, ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ${megabytes(machineMemory())}, Node ${process.version}, Dragoman ${version}`
  const failed = checked.some(({ files }) => files !== 'ok') || loaded.some(({ ok }) => !ok)
  if (json) terminal.line(JSON.stringify({ machine, models: checked, engines: loaded }, undefined, 2))
  else {
    terminal.line(machine)
    const rows = checked.map(({ name, files, downloads }) => [
      name,
      files,
      downloads.every(({ trust }) => trust === 'catalog') ? 'as in the catalog' : 'trusted at first use',
    ])
    for (const line of tableLines([['model', 'files', 'downloads'], ...rows])) terminal.line(line)
    for (const { engine, models: names, result } of loaded)
      terminal.line(`${engine}: ${result} (${names.join(', ')})`)
  }
  return failed ? 1 : 0
}

/** `dragoman models remove`. */
export async function removeModels(
  config: Config,
  what: readonly string[],
  terminal: Terminal,
  clock: Clock = systemClock,
): Promise<void> {
  const removed = await remove(what, config.embedded.models, clock)
  for (const name of removed) terminal.line(`${name} is removed.`)
  if (removed.length === 0) terminal.line('No model is used only for that.')
  terminal.line('A running service uses what it has loaded until it restarts.')
}

/** Translators load a model at its first text. */
async function proveTranslators(
  translator: { translate(text: string, from: string, to: string): Promise<string> } | undefined,
  models: readonly InstalledModel[],
): Promise<void> {
  if (!translator) return
  const { LANGUAGE_ROWS } = await import('../../service/engines/languages.ts')
  const idOf = (code: string) => LANGUAGE_ROWS.find(({ written }) => written === code)?.id
  for (const { kind, languages } of models) {
    const [from, to] = languages.map(idOf)
    if (kind === 'translation' && from && to) await translator.translate('OK', from, to)
  }
}

async function filesState(folder: string, { name, files }: InstalledModel): Promise<string> {
  for (const { path, sha256 } of files) {
    const digest = await digestOf(join(folder, name, path)).catch(() => undefined)
    if (digest !== sha256) return `${path} is ${digest === undefined ? 'missing' : 'damaged'}`
  }
  return 'ok'
}

/** Averaging time of the rate (ms). */
const RATE_MS = 5_000

/** Formats the progress with a rate and the time that is left. */
class TransferMeter {
  readonly #clock: Clock
  /** True after the first line of a step. */
  begins = false
  #what = ''
  #marks: { at: number; bytes: number }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  line({ model, step, bytes, total }: Progress): string {
    const now = this.#clock.now()
    const what = `${step} ${model}`
    this.begins = what !== this.#what
    if (this.begins) this.#marks = []
    this.#what = what
    if (now - (this.#marks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) > 250) this.#marks.push({ at: now, bytes })
    while (this.#marks.length > 2 && this.#marks[0]!.at < now - RATE_MS) this.#marks.shift()
    const [first] = this.#marks
    const rate = first && now > first.at ? ((bytes - first.bytes) * 1000) / (now - first.at) : 0
    const left = rate > 0 ? `, ${seconds(((total - bytes) * 1000) / rate)} left` : ''
    const speed = rate > 0 ? `, ${(rate / 1e6).toFixed(1)} MB/s${left}` : ''
    const doing = step === 'download' ? 'Downloading' : 'Unpacking'
    return `${doing} ${Math.floor((100 * bytes) / total)} % of ${megabytes(total)}${speed}: ${model}`
  }
}

async function askOnTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CommandError('add --yes to install without a question')
  using reader = createInterface({ input: process.stdin, output: process.stdout })
  return /^(y|yes)?$/i.test((await reader.question(`${question} [Y/n] `)).trim())
}

function downloadOf({ files }: CatalogModel): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function sizeOf({ files }: InstalledModel): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function megabytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`
  return `${bytes > 0 && bytes < 1e6 ? (bytes / 1e6).toFixed(1) : Math.round(bytes / 1e6)} MB`
}

function seconds(ms: number): string {
  return ms < 90_000 ? `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s` : `${Math.round(ms / 60_000)} min`
}
