import { systemClock } from '../../common/clock.ts'
import { howToInstall, missingOf } from '../../common/optional-package.ts'
import type { Config } from '../../config/load.ts'
import { inspectModel, type ModelSource } from '../../service/engines/local/sherpa/model-files.ts'
import { SherpaRecognizer } from '../../service/engines/local/sherpa/sherpa-recognizer.ts'
import { SherpaSynthesizer } from '../../service/engines/local/sherpa/sherpa-synthesizer.ts'
import { type Check, fail, ok } from './check.ts'

type Engines = Config['embedded']['engines']

/** A sherpa-onnx engine of the settings. */
export type ModelChoice =
  | {
      readonly task: 'transcription'
      readonly choice: Extract<Engines['transcription'][number], { engine: 'sherpa' }>
    }
  | {
      readonly task: 'synthesis'
      readonly choice: Extract<Engines['synthesis'][number], { engine: 'sherpa' }>
    }

/** Result of loading a model. */
type ModelTrial =
  | { readonly worked: true; readonly what: string; readonly ms: number }
  | { readonly worked: false; readonly reason: string }

/** Access to the outside; tests provide their own. */
export interface ModelEnvironment {
  /** Loads a model in its own process. Never rejects. */
  loadModel(model: ModelChoice): Promise<ModelTrial>
}

/** Lists the models of the settings with their files, without loading them. */
export async function modelFileChecks(engines: Engines): Promise<Check[]> {
  return Promise.all(
    modelChoices(engines).map(async ({ name, model }) => {
      if (missingOf('sherpa').length > 0) return packageMissing(name)
      const { kind, bytes, problem, source } = await inspectModel(model.task, model.choice)
      return problem === undefined
        ? ok(name, described(model.choice.model, kind, bytes))
        : missing(name, problem, source)
    }),
  )
}

/** Checks the models on this machine: whether their files are complete, and whether they can be loaded. */
export async function modelChecks(engines: Engines, around: ModelEnvironment): Promise<Check[]> {
  const checks: Check[] = []
  // One after the other: several at once could need more memory than the service itself.
  for (const { name, model } of modelChoices(engines)) checks.push(await modelCheck(name, model, around))
  return checks
}

/** The sherpa-onnx engines of the settings, with their position in the list. */
function modelChoices({ transcription, synthesis }: Engines): { name: string; model: ModelChoice }[] {
  const recognizers = transcription.flatMap((choice, index) =>
    choice.engine === 'sherpa'
      ? [{ name: `transcription ${index + 1}: sherpa`, model: { task: 'transcription' as const, choice } }]
      : [],
  )
  const voices = synthesis.flatMap((choice, index) =>
    choice.engine === 'sherpa'
      ? [{ name: `synthesis ${index + 1}: sherpa`, model: { task: 'synthesis' as const, choice } }]
      : [],
  )
  return [...recognizers, ...voices]
}

async function modelCheck(name: string, model: ModelChoice, around: ModelEnvironment): Promise<Check> {
  const { task, choice } = model
  if (missingOf('sherpa').length > 0) return packageMissing(name)
  const { kind, bytes, problem, source } = await inspectModel(task, choice)
  if (problem !== undefined) return missing(name, problem, source)
  const what = described(choice.model, kind, bytes)
  const trial = await around.loadModel(model)
  return trial.worked
    ? ok(name, `${what}: ${trial.what} in ${(trial.ms / 1000).toFixed(1)} s`)
    : fail(name, `${what}: ${trial.reason}`, 'check model and vad; until then the next engine is used')
}

function packageMissing(name: string): Check {
  return fail(name, 'its package is not installed', howToInstall('sherpa'))
}

function described(folder: string, kind: string | undefined, bytes: number): string {
  return `${folder}, ${kind}, ${Math.max(1, Math.round(bytes / 1e6))} MB`
}

function missing(name: string, problem: string, source: ModelSource): Check {
  return fail(
    name,
    problem,
    `unpack a model from ${source.downloads} and set model to its folder;\nthe models are described at ${source.documentation}`,
  )
}

/** Loads a model in its own process, and ends that process. Never rejects. */
export async function loadModel({ task, choice }: ModelChoice): Promise<ModelTrial> {
  const begun = systemClock.now()
  try {
    const engine =
      task === 'transcription'
        ? await SherpaRecognizer.create({ ...choice, processes: 1 }, systemClock)
        : await SherpaSynthesizer.create({ ...choice, processes: 1 }, systemClock)
    await engine.close()
    return { worked: true, what: 'loaded', ms: systemClock.now() - begun }
  } catch (error) {
    return { worked: false, reason: error instanceof Error ? error.message : String(error) }
  }
}
