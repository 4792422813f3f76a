import { systemClock } from '../../common/clock.ts'
import { howToInstall, missingOf } from '../../common/optional-package.ts'
import type { Config } from '../../config/load.ts'
import { inspectModel } from '../../service/server/engines/sherpa/model-files.ts'
import { SherpaRecognizer } from '../../service/server/engines/sherpa/sherpa-recognizer.ts'
import { SherpaSynthesizer } from '../../service/server/engines/sherpa/sherpa-synthesizer.ts'
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

/** What the checks need of the outside; tests provide their own. */
export interface ModelEnvironment {
  /** Loads a model in a process of its own. Never rejects. */
  loadModel(model: ModelChoice): Promise<ModelTrial>
}

/** Checks the models on this machine: whether their files are complete, and whether they can be loaded. */
export async function modelChecks(
  { transcription, synthesis }: Engines,
  around: ModelEnvironment,
): Promise<Check[]> {
  const checks: Check[] = []
  // One after the other: several at once could need more memory than the service itself.
  for (const [index, choice] of transcription.entries())
    if (choice.engine === 'sherpa')
      checks.push(await modelCheck(index, { task: 'transcription', choice }, around))
  for (const [index, choice] of synthesis.entries())
    if (choice.engine === 'sherpa')
      checks.push(await modelCheck(index, { task: 'synthesis', choice }, around))
  return checks
}

async function modelCheck(index: number, model: ModelChoice, around: ModelEnvironment): Promise<Check> {
  const { task, choice } = model
  const name = `${task} ${index + 1}: sherpa`
  if (missingOf('sherpa').length > 0)
    return fail(name, 'its package is not installed', howToInstall('sherpa'))
  const { kind, bytes, problem, source } = await inspectModel(task, choice)
  if (problem !== undefined)
    return fail(
      name,
      problem,
      `unpack a model from ${source.downloads} and set model to its folder;\nthe models are described at ${source.documentation}`,
    )
  const what = `${choice.model}, ${kind}, ${Math.max(1, Math.round(bytes / 1e6))} MB`
  const trial = await around.loadModel(model)
  return trial.worked
    ? ok(name, `${what}: ${trial.what} in ${(trial.ms / 1000).toFixed(1)} s`)
    : fail(name, `${what}: ${trial.reason}`, 'check model, kind and vad; until then the next engine is used')
}

/** Loads a model in a process of its own, and ends that process. Never rejects. */
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
