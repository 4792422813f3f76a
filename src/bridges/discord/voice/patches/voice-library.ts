import * as library from '@discordjs/voice'
import { BridgeError } from '../../../../common/errors.ts'
import { howToInstall } from '../../../../common/optional-package.ts'

interface Library {
  readonly version?: unknown
  readonly DAVESession?: unknown
  readonly [name: string]: unknown
}

/** The internals that the patches replace, by class; `library-internals.test.ts` has the rest. */
const PATCHED: Readonly<Record<string, readonly string[]>> = {
  Networking: ['createAudioPacket', 'destroy'],
  VoiceWebSocket: ['onMessage'],
  VoiceUDPSocket: ['keepAlive', 'send'],
}

/**
 * Throws `BridgeError` `NOT_INSTALLED` if the installed version of @discordjs/voice cannot be used: it is too old for the
 * end-to-end encryption that Discord requires, or so new that the patched internals are gone.
 */
export function assertVoiceLibrary(voice: Library = library): void {
  const gone = Object.entries(PATCHED).flatMap(([name, methods]) => {
    const { prototype = {} } = (voice[name] ?? {}) as { prototype?: Record<string, unknown> }
    return methods
      .filter(method => typeof prototype[method] !== 'function')
      .map(method => `${name}.${method}`)
  })
  const lacks =
    voice.DAVESession === undefined
      ? "Discord's end-to-end encryption, which it requires in voice channels"
      : gone.join(' and ')
  if (lacks === '') return
  throw new BridgeError(
    'NOT_INSTALLED',
    `@discordjs/voice ${voice.version} lacks ${lacks}. Run ${howToInstall('discord')}`,
  )
}
