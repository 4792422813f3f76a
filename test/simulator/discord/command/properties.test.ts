import { SlashCommandBuilder } from 'discord.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkCommand } from '../../../../src/simulator/discord/command/command-checks.ts'
import { readClientMessage } from '../../../../src/simulator/discord/gateway/protocol.ts'
import { next } from '../../../../src/simulator/discord/model/interaction.ts'
import { ALL_MENTIONS, pingsIn, readDraft } from '../../../../src/simulator/discord/model/message-draft.ts'
import { isSnowflake, madeAt, Snowflakes } from '../../../../src/simulator/discord/model/snowflake.ts'
import { ROUTES } from '../../../../src/simulator/discord/rest/api.ts'
import { ApiError } from '../../../../src/simulator/discord/rest/api-error.ts'
import { FormCheck } from '../../../../src/simulator/discord/rest/form-check.ts'
import { RateLimits } from '../../../../src/simulator/discord/rest/rate-limits.ts'
import { Routes } from '../../../../src/simulator/discord/rest/route.ts'
import { FakeClock } from '../../../../src/simulator/index.ts'

const SEED = { seed: 7 }
const routes = new Routes(ROUTES)
const id = fc.bigInt({ min: 1n, max: (1n << 64n) - 1n }).map(String)

/** Anything, often similar to what is expected. */
const bodies = (keys: readonly string[]) =>
  fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom(...keys, '__proto__', 'constructor'), fc.jsonValue({ maxDepth: 4 }), {
      maxKeys: 6,
    }),
  )

describe('routes', () => {
  it('are found by their own paths, with their parameters', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ROUTES), fc.array(id, { minLength: 4, maxLength: 4 }), (route, ids) => {
        let at = 0
        const given: Record<string, string> = {}
        const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
          given[name] = ids[at++]!
          return given[name]
        })
        const found = routes.find(route.method, path)
        expect(found?.route).toBe(route)
        expect(found?.params).toEqual(given)
        expect(routes.find(route.method, `${path}/more`)?.route).not.toBe(route)
      }),
      SEED,
    )
  })

  it('accept any path safely, encoded or not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), path => {
        expect(() => routes.find('GET', path)).not.toThrow()
        const found = routes.find('GET', `/channels/${encodeURIComponent(path)}`)
        expect(found?.params.channel ?? '').toBe(found ? path : '')
        if (path !== '') expect(found).toBeDefined()
      }),
      SEED,
    )
  })
})

describe('bodies', () => {
  const refusals = (read: () => unknown) => {
    try {
      read()
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
      expect(() => JSON.stringify((error as ApiError).body)).not.toThrow()
    }
  }

  it('of messages are read or rejected', () => {
    const keys = ['content', 'embeds', 'components', 'allowed_mentions', 'flags', 'message_reference', 'tts']
    fc.assert(
      fc.property(bodies(keys), body => refusals(() => readDraft(body))),
      { ...SEED, numRuns: 500 },
    )
  })

  it('of messages are accepted up to the limits and not beyond', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2_100 }), content => {
        const fits = Array.from(content).length <= 2_000
        if (fits) expect(readDraft({ content }).content).toBe(content)
        else expect(() => readDraft({ content })).toThrow('Invalid Form Body')
      }),
      SEED,
    )
  })

  it('of commands are checked safely', () => {
    const keys = [
      'name',
      'description',
      'options',
      'type',
      'name_localizations',
      'default_member_permissions',
    ]
    fc.assert(
      fc.property(bodies(keys), body => {
        const check = new FormCheck()
        checkCommand(body, check, [0])
        refusals(() => check.end())
      }),
      { ...SEED, numRuns: 500 },
    )
  })

  it('of commands that discord.js builds are valid', () => {
    const name = fc.stringMatching(/^[a-z0-9_-]{1,32}$/)
    const words = fc.string({ minLength: 1, maxLength: 100 })
    fc.assert(
      fc.property(name, words, fc.uniqueArray(name, { maxLength: 25 }), (command, description, options) => {
        const builder = new SlashCommandBuilder().setName(command).setDescription(description)
        for (const option of options)
          builder.addStringOption(each =>
            each.setName(option).setDescription(description.slice(0, 50) || 'x'),
          )
        const check = new FormCheck()
        checkCommand(builder.toJSON(), check, [])
        check.end()
      }),
      SEED,
    )
  })
})

it('a bot’s messages are read or end its connection', () => {
  const message = fc.record({ op: fc.integer({ min: -1, max: 12 }), d: fc.jsonValue() })
  fc.assert(
    fc.property(
      fc.oneof(
        message.map(each => JSON.stringify(each)),
        fc.string(),
      ),
      text => {
        const { kind } = readClientMessage(text)
        expect(['heartbeat', 'identify', 'resume', 'voice', 'members', 'ignored', 'wrong']).toContain(kind)
      },
    ),
    { ...SEED, numRuns: 500 },
  )
})

it('the mentions of a text are found, and only permitted ones notify', () => {
  const users = fc.uniqueArray(id, { maxLength: 4 })
  fc.assert(
    fc.property(users, users, fc.string(), (mentioned, allowed, text) => {
      fc.pre(!/[<@>`]/.test(text))
      const content = mentioned.map(user => `${text}<@${user}>`).join('')
      expect(pingsIn(content, ALL_MENTIONS)).toEqual(mentioned)
      const some = { ...ALL_MENTIONS, parse: [], users: allowed }
      expect(pingsIn(content, some)).toEqual(mentioned.filter(user => allowed.includes(user)))
      expect(pingsIn(`\`${content}\` \`\`\`${content}\`\`\``, ALL_MENTIONS)).toEqual([])
    }),
    SEED,
  )
})

it('an interaction is answered once, finally', () => {
  const inputs = fc.constantFrom('reply', 'defer', 'update', 'defer-update', 'choices', 'edit', 'timeout')
  fc.assert(
    fc.property(fc.array(inputs), steps => {
      let state: Parameters<typeof next>[0] = { status: 'waiting' }
      const course: string[] = [state.status]
      for (const step of steps as Parameters<typeof next>[1][]) {
        const after = next(state, step)
        if (!after) continue
        state = after
        course.push(state.status)
      }
      expect(course.join(' ')).toMatch(/^waiting( (failed|answered|deferred( answered)?))?$/)
    }),
    SEED,
  )
})

it('ids increase, and contain their creation time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 1_000 }), { maxLength: 50 }), steps => {
      let now = Date.UTC(2026, 0, 1)
      const ids = new Snowflakes(() => now)
      let last = 0n
      for (const step of steps) {
        now += step
        const made = ids.next()
        expect(isSnowflake(made)).toBe(true)
        expect(BigInt(made) > last).toBe(true)
        last = BigInt(made)
        if (step > 5) expect(Math.abs(madeAt(made) - now)).toBeLessThanOrEqual(250)
      }
    }),
    SEED,
  )
})

it('a bucket admits its limit in every window', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 60 }), gaps => {
      const clock = new FakeClock()
      const limits = new RateLimits(clock)
      const passed: number[] = []
      let resetAt = 0
      for (const gap of gaps) {
        clock.advance(gap)
        const state = limits.take('POST /channels/:channel/messages', { channel: '1' })!
        if (!state.exceeded) passed.push(clock.now())
        // A request after the indicated time is admitted.
        if (clock.now() >= resetAt) expect(state.exceeded).toBe(false)
        expect(state.remaining).toBeGreaterThanOrEqual(0)
        resetAt = state.remaining === 0 ? clock.now() + state.resetAfterMs : 0
      }
      for (const at of passed)
        expect(passed.filter(each => each >= at && each < at + 5_000).length).toBeLessThan(11)
    }),
    SEED,
  )
})
