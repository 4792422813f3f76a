import { readFileSync } from 'node:fs'
import * as library from '@discordjs/voice'
import { Networking, VoiceUDPSocket, VoiceWebSocket } from '@discordjs/voice'
import { describe, expect, test } from 'vitest'
import { assertVoiceLibrary } from '../../../../src/bridges/discord/voice/patches/voice-library.ts'

/** Internals that `library-parts.ts` relies on. */
describe('the voice library', () => {
  test('is refused with the reason if it lacks what is used', () => {
    expect(() => assertVoiceLibrary()).not.toThrow()
    const { DAVESession: _, ...older } = library
    expect(() => assertVoiceLibrary({ ...older, version: '0.18.0' })).toThrow(
      expect.objectContaining({
        code: 'NOT_INSTALLED',
        message: expect.stringMatching(
          /^@discordjs\/voice 0\.18\.0 lacks Discord's end-to-end encryption.*voice@0\.19/,
        ),
      }),
    )
    class Networking {
      destroy() {}
    }
    expect(() => assertVoiceLibrary({ ...library, Networking, version: '1.0.0' })).toThrow(
      '@discordjs/voice 1.0.0 lacks Networking.createAudioPacket',
    )
  })

  test.each([
    ['Networking', Networking.prototype, ['createAudioPacket', 'destroy']],
    ['VoiceWebSocket', VoiceWebSocket.prototype, ['onMessage']],
    ['VoiceUDPSocket', VoiceUDPSocket.prototype, ['keepAlive', 'send']],
  ] as const)('has the parts of %s that are patched', (_name, prototype, parts) => {
    for (const part of parts)
      expect(typeof (prototype as unknown as Record<string, unknown>)[part]).toBe('function')
  })

  test('finds no libsodium-wrappers here, whose functions it would miss', () => {
    const lock = JSON.parse(readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8'))
    const names = Object.keys(lock.packages)
    expect(names).toContain('node_modules/@noble/ciphers')
    expect(names.filter(name => /libsodium|sodium-native|node_modules\/sodium$/.test(name))).toEqual([])
  })
})
