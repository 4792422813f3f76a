import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assertInstalled, howToInstall, missingOf, packagesOf } from '../../../src/common/optional-package.ts'

const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as Record<string, Record<string, string>>
const PARTS = ['discord', 'twilio', 'tracing', 'fleet', 'azure', 'sherpa'] as const
const all = PARTS.flatMap(packagesOf)

describe('optional features', () => {
  it('match the optional peers of package.json, in the same versions', () => {
    const optional = Object.keys(peerDependenciesMeta ?? {})
    // Installed together with @discordjs/voice.
    expect(all.map(spec => spec.replace(/(?<=.)@[^@]+$/, '')).sort()).toEqual(
      optional.filter(name => name !== '@snazzah/davey').sort(),
    )
    for (const spec of all) {
      const [, name = '', version = ''] = /^(.+)@([^@]+)$/.exec(spec) ?? []
      expect(peerDependencies?.[name]?.replace(/^\^/, ''), name).toMatch(new RegExp(`^${version}(\\.|$)`))
      // A clone has all packages, for its tests.
      expect(devDependencies?.[name], name).toBe(peerDependencies?.[name]?.replace(/^\^/, ''))
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
      'Discord requires discord.js and @discordjs/voice, not installed. Run npm install discord.js@14 @discordjs/voice@0.19.2 (with --global for a global dragoman)',
    ],
    [
      'twilio',
      "Twilio's REST API requires twilio, not installed. Run npm install twilio@6 (with --global for a global dragoman)",
    ],
  ] as const)('state the install command: %s', (part, message) => {
    const nothing = () => false
    expect(() => assertInstalled(part, nothing)).toThrow(
      expect.objectContaining({ code: 'NOT_INSTALLED', message }),
    )
    expect(missingOf(part, nothing)).toEqual(packagesOf(part))
    expect(howToInstall(part)).toContain(packagesOf(part)[0])
  })

  it('names only the missing packages', () => {
    expect(() => assertInstalled('discord', name => name === 'discord.js')).toThrow(
      /requires @discordjs\/voice, not/,
    )
  })
})
