import { describe, expect, test } from 'vitest'
import { type VoiceOptions, voiceChecks, voiceOptions } from '../../../src/cli/doctor/discord-voice.ts'
import { loadConfig } from '../../../src/config/load.ts'

const config = loadConfig({ env: {} })
const found = (parts: VoiceOptions, settings = config) =>
  voiceChecks(settings, parts).map(({ name, status, found }) => `${status} ${name}: ${found}`)

describe('the requirements of Discord voice', () => {
  test('are met on this machine', () => {
    expect(found(voiceOptions())).toEqual([
      expect.stringMatching(/^ok Discord voice: @discordjs\/voice \d+\.\d+/),
      expect.stringMatching(/^ok Opus: @evan\/opus, native$/),
      expect.stringMatching(/^ok end-to-end encryption: DAVE \d+, @snazzah\/davey \d+\.\d+/),
      'ok voice ciphers: AES-GCM, XChaCha20',
      expect.stringMatching(/^ok TLS: TLSv1\.3, OpenSSL 3/),
    ])
  })

  test.each([
    [{ library: undefined }, 'fail Discord voice: @discordjs/voice cannot be loaded'],
    [{ opus: undefined }, 'fail Opus: @evan/opus cannot be loaded'],
    [{ opus: 'WebAssembly' }, 'warn Opus: as WebAssembly, which needs up to 1.7 times the CPU time'],
    [{ dave: undefined }, 'fail end-to-end encryption: @snazzah/davey cannot be loaded'],
    [{ dave: { version: '0', protocol: 0 } }, 'fail end-to-end encryption: @snazzah/davey cannot be loaded'],
    [
      { xchacha: false },
      'fail voice ciphers: @noble/ciphers cannot be loaded, which voice servers can require',
    ],
    [{ aesGcm: false }, 'warn voice ciphers: this Node has no AES-GCM: slower ciphers are used'],
    [
      { libsodium: true },
      'warn voice ciphers: libsodium-wrappers is installed, which @discordjs/voice selects but cannot use: the bridge does without it',
    ],
    [
      { tls: { openssl: '3', newest: 'TLSv1.1', certificates: 1 } },
      'fail TLS: at most TLSv1.1, which Discord rejects',
    ],
    [{ tls: { openssl: '3', newest: 'TLSv1.3', certificates: 0 } }, 'fail TLS: Node trusts no certificate'],
  ] as const satisfies [Partial<VoiceOptions>, string][])('is missed: %o', (change, line) => {
    expect(found({ ...voiceOptions(), ...change })).toContain(line)
  })

  test('reports disabled end-to-end encryption', () => {
    const off = loadConfig({ env: {}, overrides: { discord: { dave: false } } })
    expect(found(voiceOptions(), off)).toContainEqual(
      expect.stringMatching(/^warn end-to-end encryption: disabled/),
    )
  })
})
