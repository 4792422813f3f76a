import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assertInstalled, howToInstall, missingOf, packagesOf } from '../../src/common/optional-package.ts'

const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Record<string, Record<string, string>>
const PARTS = ['discord', 'twilio', 'tracing', 'fleet', 'azure', 'sherpa', 'firefox', 'archives'] as const
const all = PARTS.flatMap(packagesOf)

describe('optional features', () => {
  it('are the optional peers of package.json, of any version there, so that no other program is refused', () => {
    const optional = Object.keys(peerDependenciesMeta ?? {})
    // Installed together with @discordjs/voice.
    expect(all.map(spec => spec.replace(/(?<=.)@[^@]+$/, '')).sort()).toEqual(
      optional.filter(name => name !== '@snazzah/davey').sort(),
    )
    expect(optional.filter(name => peerDependencies?.[name] !== '*')).toEqual([])
    for (const spec of all) {
      const [, name = '', version = ''] = /^(.+)@([^@]+)$/.exec(spec) ?? []
      // A clone has all packages, for its tests.
      expect(devDependencies?.[name], name).toMatch(new RegExp(`^${version}\\.`))
      expect(dependencies?.[name]).toBeUndefined()
    }
  })

  it('are installed in a clone', () => {
    for (const part of PARTS) {
      expect(missingOf(part)).toEqual([])
      expect(() => assertInstalled(part)).not.toThrow()
    }
  })

  it.each([
    [
      'discord',
      'Discord requires discord.js and @discordjs/voice, not installed. Run npm install discord.js@14 @discordjs/voice@0.19 (with --global for a global dragoman)',
    ],
    [
      'twilio',
      "Twilio's REST API requires twilio, not installed. Run npm install twilio@6 (with --global for a global dragoman)",
    ],
  ] as const)('state the install command: %s', (part, message) => {
    const nothing = () => undefined
    expect(() => assertInstalled(part, nothing)).toThrow(
      expect.objectContaining({ code: 'NOT_INSTALLED', message }),
    )
    expect(missingOf(part, nothing)).toEqual(packagesOf(part))
    expect(howToInstall(part)).toContain(packagesOf(part)[0])
  })

  it('names only the packages that are missing or too old', () => {
    const has = (versions: Record<string, string>) => (name: string) => versions[name]
    expect(() => assertInstalled('discord', has({ 'discord.js': '14.28.1' }))).toThrow(
      /requires @discordjs\/voice, not/,
    )
    expect(() =>
      assertInstalled('discord', has({ 'discord.js': '13.9.0', '@discordjs/voice': '0.19.0' })),
    ).toThrow(/requires discord\.js 14\.17 or newer, not 13\.9\.0\. Run/)
    expect(missingOf('twilio', has({ twilio: '4.23.0' }))).toEqual(['twilio@6'])
    for (const version of ['5.0.0', '5.13.1', '6.2.0', '7.0.0', 'unknown'])
      expect(missingOf('twilio', has({ twilio: version })), version).toEqual([])
  })
})
