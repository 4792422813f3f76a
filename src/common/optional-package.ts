import { createRequire } from 'node:module'
import { BridgeError } from './errors.ts'

/** Optional features and their packages, which are optional peer dependencies in package.json, at the same versions. */
const PARTS = {
  discord: { what: 'Discord', packages: ['discord.js@14', '@discordjs/voice@0.19.2'] },
  twilio: { what: "Twilio's REST API", packages: ['twilio@6'] },
  tracing: {
    what: 'Tracing',
    packages: [
      '@opentelemetry/api@1',
      '@opentelemetry/sdk-trace@3',
      '@opentelemetry/resources@3',
      '@opentelemetry/exporter-trace-otlp-http@0.301',
    ],
  },
  fleet: {
    what: 'A fleet',
    packages: ['@nats-io/transport-node@3', '@nats-io/jetstream@3', '@nats-io/kv@3'],
  },
  azure: { what: 'Azure Speech', packages: ['microsoft-cognitiveservices-speech-sdk@1'] },
  sherpa: { what: 'sherpa-onnx', packages: ['sherpa-onnx-node@1'] },
} as const

export type OptionalPart = keyof typeof PARTS

const { resolve } = createRequire(import.meta.url)

/** Returns the packages for `part`, with versions, as arguments for npm. */
export function packagesOf(part: OptionalPart): readonly string[] {
  return PARTS[part].packages
}

/** Returns the packages for `part` that are not installed. Tests replace `isInstalled`. */
export function missingOf(part: OptionalPart, isInstalled = installed): readonly string[] {
  return PARTS[part].packages.filter(each => !isInstalled(nameOf(each)))
}

/** Returns the command that installs `part`. */
export function howToInstall(part: OptionalPart): string {
  return `npm install ${PARTS[part].packages.join(' ')}`
}

/**
 * Throws `BridgeError` `NOT_INSTALLED` with the install command if packages for `part` are missing. Call it before
 * loading them.
 */
export function assertInstalled(part: OptionalPart, isInstalled = installed): void {
  const missing = missingOf(part, isInstalled)
  if (missing.length === 0) return
  const names = missing.map(nameOf).join(' and ')
  throw new BridgeError(
    'NOT_INSTALLED',
    `${PARTS[part].what} requires ${names}, not installed. Run ${howToInstall(part)} (with --global for a global dragoman)`,
  )
}

function nameOf(spec: string): string {
  return spec.slice(0, spec.lastIndexOf('@'))
}

function installed(name: string): boolean {
  try {
    resolve(name)
    return true
  } catch (error) {
    // A package without an entry for `require` is installed nevertheless.
    return (error as { code?: string }).code !== 'MODULE_NOT_FOUND'
  }
}
