import type { Config } from '../../app/settings/load.ts'
import { howToInstall, missingOf } from '../../common/optional-package.ts'
import { inspectModel, type ModelTask } from '../../service/engines/local/sherpa/model-files.ts'
import { withModels } from '../../service/engines/with-models.ts'
import { startedAs } from '../terminal.ts'
import { type Check, fail, ok } from './check.ts'

type Engines = Config['embedded']['engines']

/** Names the installed models that are not used, with the reason. The others are tried with a sentence. */
export async function installedModelChecks({ engines, models }: Config['embedded']): Promise<Check[]> {
  const { refused } = await withModels(engines, models)
  return refused.map(({ kind, models: names, refused: why }) =>
    fail(
      `${kind}: ${names.join(', ') || 'models'}`,
      why,
      `${startedAs()} models add with your languages repairs it, models remove removes it`,
    ),
  )
}

/** Checks whether the files of the sherpa-onnx models of the settings are complete, without loading them. */
export async function modelChecks(engines: Engines): Promise<Check[]> {
  const tasks = ['transcription', 'synthesis'] as const
  const checks = tasks.flatMap(task =>
    engines[task].map((choice, index) =>
      choice.engine === 'sherpa' ? modelCheck(`${task} ${index + 1}: sherpa`, task, choice) : undefined,
    ),
  )
  return await Promise.all(checks.filter(check => check !== undefined))
}

async function modelCheck(
  name: string,
  task: ModelTask,
  choice: Parameters<typeof inspectModel>[1],
): Promise<Check> {
  if (missingOf('sherpa').length > 0)
    return fail(name, 'its package is not installed', howToInstall('sherpa'))
  const { kind, bytes, problem, source } = await inspectModel(task, choice)
  if (problem === undefined)
    return ok(name, `${choice.model}, ${kind}, ${Math.max(1, Math.round(bytes / 1e6))} MB`)
  return fail(
    name,
    problem,
    `unpack a model from ${source.downloads} and set model to its folder;\nthe models are described at ${source.documentation}`,
  )
}
