import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { BridgeError } from './errors.ts'

/**
 * Optional features and their packages, in the versions with which they work. In package.json they are optional peers of
 * any version: a program that has another one for its own purposes can use everything else.
 */
const PARTS = {
  discord: {
    what: 'Discord',
    // Older versions of voice are found when the bot is attached, with the reason.
    packages: { 'discord.js': ['14.17', '14'], '@discordjs/voice': ['0.18', '0.19'] },
  },
  twilio: { what: "Twilio's REST API", packages: { twilio: ['5', '6'] } },
  tracing: {
    what: 'Tracing',
    packages: {
      '@opentelemetry/api': ['1.9', '1'],
      '@opentelemetry/sdk-trace': ['2.9', '3'],
      '@opentelemetry/resources': ['2.9', '3'],
      '@opentelemetry/exporter-trace-otlp-http': ['0.220', '0.301'],
    },
  },
  fleet: {
    what: 'A fleet',
    packages: {
      '@nats-io/transport-node': ['3.4', '3'],
      '@nats-io/jetstream': ['3.4', '3'],
      '@nats-io/kv': ['3.4', '3'],
    },
  },
  azure: { what: 'Azure Speech', packages: { 'microsoft-cognitiveservices-speech-sdk': ['1.52', '1'] } },
  // Its worker is started in a way that depends on its files.
  firefox: {
    what: 'Translation by Firefox models',
    packages: { '@browsermt/bergamot-translator': ['0.4.9', '0.4'] },
  },
  sherpa: { what: 'sherpa-onnx', packages: { 'sherpa-onnx-node': ['1.13', '1'] } },
  archives: { what: 'Unpacking models', packages: { tar: ['7', '7'], 'unbzip2-stream': ['1.4', '1'] } },
} as const satisfies Record<
  string,
  {
    readonly what: string
    /** The oldest version that works, and the one to install. */
    readonly packages: Readonly<Record<string, readonly [oldest: string, current: string]>>
  }
>

export type OptionalPart = keyof typeof PARTS

const { resolve } = createRequire(import.meta.url)

/** Returns the packages for `part`, with versions, as arguments for npm. */
export function packagesOf(part: OptionalPart): readonly string[] {
  return entriesOf(part).map(([name, [, current]]) => `${name}@${current}`)
}

/**
 * Returns the packages for `part` that are not installed, or too old. Tests replace `versionOf`, which returns the installed
 * version, or undefined.
 */
export function missingOf(part: OptionalPart, versionOf = installed): readonly string[] {
  return entriesOf(part)
    .filter(([name, [oldest]]) => !isAtLeast(versionOf(name), oldest))
    .map(([name, [, current]]) => `${name}@${current}`)
}

/** Returns the command that installs `parts`. */
export function howToInstall(...parts: OptionalPart[]): string {
  return `npm install ${parts.flatMap(packagesOf).join(' ')}`
}

/**
 * Throws `BridgeError` `NOT_INSTALLED` with the install command if packages for `part` are missing or too old. Call it
 * before loading them.
 */
export function assertInstalled(part: OptionalPart, versionOf = installed): void {
  const names: string[] = []
  const wrong: string[] = []
  for (const [name, [oldest]] of entriesOf(part)) {
    const version = versionOf(name)
    if (version === undefined) names.push(name)
    else if (!isAtLeast(version, oldest)) wrong.push(`${name} ${oldest} or newer, not ${version}`)
  }
  if (names.length > 0) wrong.unshift(`${names.join(' and ')}, not installed`)
  if (wrong.length === 0) return
  throw new BridgeError(
    'NOT_INSTALLED',
    `${PARTS[part].what} requires ${wrong.join('; ')}. Run ${howToInstall(part)} (with --global for a global dragoman)`,
  )
}

function entriesOf(
  part: OptionalPart,
): [name: string, versions: readonly [oldest: string, current: string]][] {
  return Object.entries(PARTS[part].packages)
}

/** An unknown version counts as new enough. */
function isAtLeast(version: string | undefined, oldest: string): boolean {
  if (version === undefined) return false
  const [found, needed] = [version, oldest].map(text =>
    text.split('.').map(part => Number.parseInt(part, 10)),
  )
  const at = needed!.findIndex((part, index) => part !== (found![index] ?? 0))
  return at < 0 || !((found![at] ?? 0) < needed![at]!)
}

/** The version that this module would load; undefined: none. */
function installed(name: string): string | undefined {
  for (const folder of resolve.paths(name) ?? [])
    try {
      return (JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as { version: string })
        .version
    } catch {
      // Not there.
    }
  try {
    // Without folders of packages, as with Yarn's Plug'n'Play, its version is unknown.
    resolve(name)
    return 'unknown'
  } catch (error) {
    // A package without an entry for `require` is installed nevertheless.
    return (error as { code?: string }).code === 'MODULE_NOT_FOUND' ? undefined : 'unknown'
  }
}
