import { getCiphers } from 'node:crypto'
import { createRequire } from 'node:module'
import { DEFAULT_MAX_VERSION, getCACertificates } from 'node:tls'
import { howToInstall } from '../../common/optional-package.ts'
import type { Config } from '../../config/load.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Libraries for Discord voice that load on this machine. */
export interface VoiceOptions {
  /** The version of `@discordjs/voice`. */
  readonly library: string | undefined
  readonly opus: 'native' | 'WebAssembly' | undefined
  /** End-to-end encryption: the version of `@snazzah/davey`, and that of the protocol. */
  readonly dave: { readonly version: string; readonly protocol: number } | undefined
  /** Availability of Discord’s two packet ciphers. */
  readonly aesGcm: boolean
  readonly xchacha: boolean
  /** A package is installed that the library would select for encryption but cannot use. */
  readonly libsodium: boolean
  readonly tls: { readonly openssl: string; readonly newest: string; readonly certificates: number }
}

const INSTALL = `${howToInstall('discord')}; in a clone, npm ci with optional packages`

/** Reports what loads on this machine. Never throws. */
export function voiceOptions(): VoiceOptions {
  const own = createRequire(import.meta.url)
  const load = <T>(name: string, from = own): T | undefined => {
    try {
      return from(name) as T
    } catch {
      return undefined
    }
  }
  const voice = load<{ version?: string }>('@discordjs/voice')
  // The copy that the library itself would load.
  const its = voice ? createRequire(own.resolve('@discordjs/voice')) : own
  const davey = load<{ VERSION?: string; DAVE_PROTOCOL_VERSION?: number }>('@snazzah/davey', its)
  const native = load('@evan/opus/node/index.js')
  return {
    library: voice?.version,
    opus: native ? 'native' : load('@evan/opus/wasm/index.js') ? 'WebAssembly' : undefined,
    dave: davey && { version: davey.VERSION ?? '?', protocol: davey.DAVE_PROTOCOL_VERSION ?? 0 },
    aesGcm: getCiphers().includes('aes-256-gcm'),
    xchacha: load('@noble/ciphers/chacha.js', its) !== undefined,
    libsodium: load('libsodium-wrappers', its) !== undefined,
    tls: {
      openssl: process.versions.openssl ?? '?',
      newest: DEFAULT_MAX_VERSION,
      certificates: getCACertificates('default').length,
    },
  }
}

/** Checks whether voice can be received from Discord and sent to it on this machine. */
export function voiceChecks({ discord }: Config, options: VoiceOptions): Check[] {
  return [
    libraryCheck(options),
    opusCheck(options),
    daveCheck(options, discord.dave),
    cipherCheck(options),
    tlsCheck(options),
  ]
}

function libraryCheck({ library }: VoiceOptions): Check {
  const name = 'Discord voice'
  return library === undefined
    ? fail(name, '@discordjs/voice cannot be loaded', INSTALL)
    : ok(name, `@discordjs/voice ${library}`)
}

function opusCheck({ opus }: VoiceOptions): Check {
  const name = 'Opus'
  if (opus === 'native') return ok(name, '@evan/opus, native')
  if (opus === undefined) return fail(name, '@evan/opus cannot be loaded', INSTALL)
  return warn(
    name,
    'as WebAssembly, which needs up to 1.7 times the CPU time',
    'a native build exists for Linux with glibc, macOS and Windows, for x64 and most arm64',
  )
}

function daveCheck({ dave }: VoiceOptions, wanted: boolean): Check {
  const name = 'end-to-end encryption'
  if (!wanted)
    return warn(
      name,
      'disabled, so that only stage channels can be joined',
      'set discord.dave to true, or remove it',
    )
  if (!dave || dave.protocol < 1) return fail(name, '@snazzah/davey cannot be loaded', INSTALL)
  return ok(name, `DAVE ${dave.protocol}, @snazzah/davey ${dave.version}`)
}

function cipherCheck({ aesGcm, xchacha, libsodium }: VoiceOptions): Check {
  const name = 'voice ciphers'
  if (libsodium)
    return warn(
      name,
      'libsodium-wrappers is installed, which @discordjs/voice selects but cannot use: the bridge does without it',
      'npm uninstall libsodium-wrappers, or the package that depends on it (npm ls libsodium-wrappers)',
    )
  if (!xchacha) return fail(name, '@noble/ciphers cannot be loaded, which voice servers can require', INSTALL)
  if (!aesGcm)
    return warn(name, 'this Node has no AES-GCM: slower ciphers are used', 'install the official Node')
  return ok(name, 'AES-GCM, XChaCha20')
}

function tlsCheck({ tls }: VoiceOptions): Check {
  const name = 'TLS'
  const { openssl, newest, certificates } = tls
  if (newest !== 'TLSv1.2' && newest !== 'TLSv1.3')
    return fail(name, `at most ${newest}, which Discord rejects`, 'start Node without --tls-max-…')
  if (certificates === 0)
    return fail(
      name,
      'Node trusts no certificate',
      'start Node without --use-openssl-ca, or install ca-certificates',
    )
  return ok(name, `${newest}, OpenSSL ${openssl}`)
}
