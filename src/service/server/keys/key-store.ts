import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { type Clock, systemClock } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import { parseJson } from '../../../common/json.ts'
import { keyDigest } from '../../../common/secrets.ts'
import { writeFileAtomic } from '../../../storage/atomic-file.ts'
import { withLock } from './file-lock.ts'

/** Marks a text as a key of this service, for people and for secret scanners. */
const PREFIX = 'dgm_'
const KEY_BYTES = 24

/** Creates a key: 192 random bits as 32 characters, after a prefix. */
export function newKey(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64url')
}

/** A name that can be typed, logged and shown in a table. */
const keyNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name consists of letters, digits and . _ -, at most 64')

/** Limits of a key; absent limits are those of the service. */
export const keyLimitsShape = {
  sessions: z.int().min(1).optional().meta({ about: 'Maximum number of concurrent sessions of this key.' }),
  minutesPerDay: z.int().min(1).optional().meta({
    about: 'Minutes of audio this key can use in any 24 hours; 900 characters of text count as one minute.',
  }),
}

const limitsSchema = z.strictObject(keyLimitsShape)
export type KeyLimits = Readonly<z.output<typeof limitsSchema>>

/** A key in the key file: everything except the key itself. */
const keyEntrySchema = z.strictObject({
  name: keyNameSchema,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
  createdAt: z.iso.datetime(),
  ...keyLimitsShape,
})
export type KeyEntry = Readonly<z.output<typeof keyEntrySchema>>

const fileSchema = z
  .strictObject({ version: z.literal(1), keys: z.array(keyEntrySchema) })
  .refine(({ keys }) => new Set(keys.map(key => key.name)).size === keys.length, 'duplicate name')
  .refine(({ keys }) => new Set(keys.map(key => key.sha256)).size === keys.length, 'duplicate key')

/**
 * The keys of a service in a JSON file, stored as digests; the file keeps its owner and mode. Any number of processes
 * can change and read it: changes are serialized, and a reader always sees a complete version.
 */
export class KeyFile {
  readonly path: string
  readonly #clock: Clock

  constructor(path: string, clock: Clock = systemClock) {
    this.path = path
    this.#clock = clock
  }

  /**
   * Returns all keys, oldest first, or undefined if the file does not exist. Rejects with `CONFIG` when it is invalid.
   */
  async read(): Promise<readonly KeyEntry[] | undefined> {
    let text: string
    try {
      text = await readFile(this.path, 'utf8')
    } catch (error) {
      const { code = 'error' } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return undefined
      throw new BridgeError('CONFIG', `the key file ${this.path} cannot be read (${code})`, { cause: error })
    }
    const parsed = fileSchema.safeParse(parseJson(text))
    if (parsed.success) return parsed.data.keys
    const problem = parseJson(text) === undefined ? 'not JSON' : problemOf(parsed.error.issues[0])
    throw new BridgeError('CONFIG', `the key file ${this.path} is invalid: ${problem}`)
  }

  /** Returns a value that changes with the file, or undefined if it does not exist. */
  async stamp(): Promise<string | undefined> {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true })
      return [ino, size, mtimeNs, ctimeNs].join(' ')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' ? undefined : `unreadable ${code}`
    }
  }

  /**
   * Creates a key and returns it; the file stores only its digest. Throws a `RangeError` for a duplicate or invalid
   * name, and for an invalid limit.
   */
  async add(name: string, createdAt: Date, limits: KeyLimits = {}): Promise<string> {
    const key = newKey()
    const sha256 = keyDigest(key).toString('hex')
    const entry = { name, sha256, createdAt: createdAt.toISOString(), ...limits }
    const { error } = keyEntrySchema.safeParse(entry)
    if (error) throw new RangeError(`a key's ${error.issues.map(wrong).join('; ')}`)
    await this.#change(keys => {
      if (keys.some(each => each.name === name)) throw new RangeError(`a key named ${name} already exists`)
      return [...keys, entry]
    })
    return key
  }

  /** Removes the key. Throws a `RangeError` if there is no key with that name. */
  async revoke(name: string): Promise<void> {
    await this.#change(keys => {
      const others = keys.filter(each => each.name !== name)
      if (others.length === keys.length) throw new RangeError(`there is no key named ${name}`)
      return others
    })
  }

  #change(change: (keys: readonly KeyEntry[]) => readonly KeyEntry[]): Promise<void> {
    return withLock(this.path, this.#clock, async () => {
      const keys = change((await this.read()) ?? [])
      await writeFileAtomic(this.path, `${JSON.stringify({ version: 1, keys }, undefined, 2)}\n`)
    })
  }
}

/** Does not show the invalid value: it could be a key instead of a digest. */
function problemOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'custom') return issue.message
  return issue?.path.length ? `unexpected value at ${issue.path.join('.')}` : 'unexpected value'
}

function wrong({ path, message }: z.core.$ZodIssue): string {
  return `${path.join('.')}: ${message}`
}
