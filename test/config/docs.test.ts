import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { type ConfigInput, loadConfig } from '../../src/config.ts'

/** The settings shown in a page: blocks of YAML that name our keys. */
function settingsIn(page: string): [string, ConfigInput][] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].map(([, indent = '', block = '']) => [
    `${page}: ${block.trim().split('\n')[0]}`,
    parse(block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) as ConfigInput,
  ])
}

/** What a block may take for granted. */
const OUTBOUND = { accountSid: `AC${'x'.repeat(32)}`, from: '+15551230003', allow: ['+1212'] }

it.each([...settingsIn('README.md'), ...settingsIn('docs/twilio.md'), ...settingsIn('docs/discord.md')])(
  '%s: would be taken',
  (_what, settings) => {
    const { twilio, ...rest } = settings
    const overrides = {
      publicUrl: 'https://bridge.example.com',
      ...rest,
      twilio: { authToken: 'token', outbound: OUTBOUND, ...twilio },
    }
    expect(loadConfig({ env: {}, overrides }).twilio.outbound?.allow).toEqual(['+1212'])
  },
)
