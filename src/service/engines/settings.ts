/** The settings of all engines, and the engines by name, as the registry gives them. */
import { z } from 'zod'
import type { DeepReadonly } from '../../common/setting-fields.ts'
import type {
  EngineContext,
  Examination,
  InstalledEngine,
  ListedEngine,
  Ports,
  ProviderKey,
} from './definition.ts'
import * as registry from './registry.ts'
import type { Billing } from './usage/billing.ts'

type Registered = (typeof registry)[keyof typeof registry]
type OfKind<K extends keyof Ports> = Extract<Registered, { readonly kind: K }>
type Installed = Extract<Registered, { readonly settings: unknown }>
export type InstalledName = Installed['name']

const ENGINES = Object.values(registry) as readonly Registered[]

export const ENGINE_KINDS = ['interpretation', 'transcription', 'translation', 'synthesis'] as const

/** Schema of the engines of a kind, in any order and number. */
function engineList<K extends keyof Ports>(kind: K, about: string) {
  type Entry = OfKind<K>['schema']
  const engines = ENGINES.filter(engine => engine.kind === kind)
  const schemas = engines.map(({ schema }) => schema) as unknown as [Entry, ...Entry[]]
  const names = engines.map(({ schema }) => schema.shape.engine.value)
  return z
    .array(
      z.discriminatedUnion('engine', schemas).describe(`a table whose engine is one of ${names.join(', ')}`),
    )
    .default([])
    .meta({ about })
}

/** In the order in which they work. */
const INSTALLED = ENGINE_KINDS.flatMap(kind =>
  ENGINES.filter((engine): engine is Installed => engine.kind === kind && 'settings' in engine),
)

/** The section of each installed engine. */
const installedShape = Object.fromEntries(
  INSTALLED.map(({ name, settings }) => [name, (settings as z.ZodType<object, object>).prefault({})]),
) as { readonly [E in Installed as E['name']]: z.ZodPrefault<E['settings']> }

/** Installed engines by name, then engines by kind in order of preference. Installed ones not named there come last. */
export const engineSettingsSchema = z.strictObject({
  ...installedShape,
  transcription: engineList('transcription', 'Speech recognition engines, in order of preference.'),
  translation: engineList('translation', 'Translation engines, in order of preference.'),
  synthesis: engineList('synthesis', 'Speech synthesis engines, in order of preference.'),
  interpretation: engineList(
    'interpretation',
    'Engines from speech to speech, in order of preference. They precede the other three kinds.',
  ),
})

export type EngineSettings = DeepReadonly<z.infer<typeof engineSettingsSchema>>

/** An entry of any engine list; not every engine has all of the fields. */
export interface EngineEntry extends Billing {
  readonly engine: string
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
  readonly apiKeyFile?: string | undefined
  readonly model?: string | undefined
  readonly languages?: readonly string[] | undefined
  readonly voices?: readonly { readonly languages?: readonly string[] | undefined }[] | undefined
}

/** An engine whose settings are those of its own schema, whichever it is. */
export interface AnyEngine<K extends keyof Ports = keyof Ports> {
  readonly kind: K
  readonly key?: ProviderKey
  readonly question?: ListedEngine<K, never>['question']
  create(settings: object, context: EngineContext): Ports[K] | Promise<Ports[K]>
}

/** Returns the engine that an entry of the list of `kind` names. */
export function engineNamed<K extends keyof Ports>(kind: K, name: string): AnyEngine<K> {
  const found = ENGINES.find(engine => engine.kind === kind && engine.schema.shape.engine.value === name)
  if (!found) throw new RangeError(`there is no engine "${name}" of kind ${kind}`)
  return found as unknown as AnyEngine<K>
}

/** Names of the installed engines, of one kind or of all. */
export function installedNames(kind?: keyof Ports): InstalledName[] {
  return INSTALLED.filter(engine => kind === undefined || engine.kind === kind).map(({ name }) => name)
}

export function isInstalled(name: string): name is InstalledName {
  return INSTALLED.some(engine => engine.name === name)
}

/** An installed engine as the doctor finds it. */
export interface ExaminedEngine {
  readonly kind: keyof Ports
  readonly name: InstalledName
  readonly enabled: boolean
  readonly examination: Examination
}

/** Examines the installed engines, which includes disabled ones. */
export async function examineInstalled(settings: EngineSettings): Promise<ExaminedEngine[]> {
  return Promise.all(
    INSTALLED.map(async engine => {
      const { kind, name } = engine
      const { examine } = engine as unknown as InstalledEngine<
        typeof kind,
        typeof name,
        z.ZodObject<{ enabled: z.ZodBoolean }>
      >
      const own = settings[name]
      return { kind, name, enabled: own.enabled, examination: await examine(own) }
    }),
  )
}
