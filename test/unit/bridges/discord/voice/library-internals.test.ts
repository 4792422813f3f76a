import { readFileSync } from 'node:fs'
import { Networking, VoiceUDPSocket, VoiceWebSocket } from '@discordjs/voice'
import { describe, expect, test } from 'vitest'

/** Internals that `library-parts.ts` relies on. */
describe('the voice library', () => {
  test('has the known version', () => {
    const ours = JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'))
    expect(ours.peerDependencies['@discordjs/voice']).toBe('0.19.2')
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
    const lock = JSON.parse(
      readFileSync(new URL('../../../../../package-lock.json', import.meta.url), 'utf8'),
    )
    const names = Object.keys(lock.packages)
    expect(names).toContain('node_modules/@noble/ciphers')
    expect(names.filter(name => /libsodium|sodium-native|node_modules\/sodium$/.test(name))).toEqual([])
  })
})
