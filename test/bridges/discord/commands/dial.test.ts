import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../../src/common/errors.ts'
import { openRunning as running } from '../../../support/discord/command-harness.ts'
import { until } from '../../../support/until.ts'

describe('dialing', () => {
  const call = { number: '+34 600 123-456', language: 'es-es' }

  test('is allowed for members with a listed role or permission to manage the server', async () => {
    const dialRoles: string[] = []
    await using world = await running({ dialRoles })
    const [caller, boss] = [
      world.guild.addRole({ name: 'caller', permissions: [] }),
      world.guild.addRole({ name: 'boss', permissions: ['ManageGuild'] }),
    ]
    dialRoles.push(caller.id)
    expect(await world.types(world.ben, 'interpret dial', call)).toMatch(/^You are not allowed to call/)
    for (const role of [caller, boss]) {
      world.guild.setRoles(world.ben, [role])
      expect(await world.types(world.ben, 'interpret dial', call)).toBe('Ringing …')
    }
    await using off = await running({ dials: false })
    expect(await off.types(off.ben, 'interpret dial', call)).toMatch(/^Phone calls are not set up/)
  })

  test('is announced to everyone without the number, and its outcome to the user who asked', async () => {
    await using room = await running()
    room.guild.setRoles(room.ben, [room.guild.addRole({ name: 'boss', permissions: ['ManageGuild'] })])
    const reply = await room.ben.command('interpret dial', call, { in: room.general })
    expect(room.interpreter.asked).toEqual(['dial +34600123456 es-es'])
    await until(() => room.announced().length > 0, 5_000, 'an announcement')
    expect(room.announced()).toEqual([expect.stringMatching(/^Ben is calling a phone \(Spanish \(Spain\)\)/)])
    room.interpreter.call.resolve({ kind: 'answered', participant: 'p' })
    await until(() => reply.content.includes('They answered'), 5_000, 'the outcome')
    await until(() => room.announced().length > 1, 5_000, 'a second announcement')
    expect(room.announced()[1]).toBe('The phone has joined the conversation.')
    expect(room.announced().join()).not.toMatch(/600/)
    expect(JSON.stringify(room.log.all)).not.toMatch(/34600/)
  })

  test.each([
    [{ kind: 'busy' }, 'The line is busy.'],
    [{ kind: 'no-answer' }, 'There was no answer.'],
    [{ kind: 'voicemail' }, 'Voicemail answered, so I hung up.'],
    [{ kind: 'canceled' }, 'The call ended before anyone answered.'],
    [{ kind: 'failed', error: new BridgeError('DIAL_FAILED', 'x') }, 'The call failed.'],
  ] as const)('that ends with %o is reported', async (outcome, text) => {
    await using world = await running()
    world.guild.setRoles(world.ben, [world.guild.addRole({ name: 'boss', permissions: ['ManageGuild'] })])
    const reply = await world.ben.command('interpret dial', call, { in: world.general })
    world.interpreter.call.resolve(outcome)
    await until(() => reply.content === text, 5_000, text)
  })

  test('rejects invalid and forbidden numbers', async () => {
    await using world = await running()
    world.guild.setRoles(world.ben, [world.guild.addRole({ name: 'boss', permissions: ['ManageGuild'] })])
    const dial = (number: string) => world.types(world.ben, 'interpret dial', { ...call, number })
    expect(await dial('600123456')).toMatch(/^That is not a valid phone number/)
    world.interpreter.refuse = new BridgeError('DIAL_REFUSED', 'no')
    expect(await dial('0034600123456')).toBe('Calls to this number are not allowed.')
    world.interpreter.refuse = new BridgeError('CAPACITY', 'no')
    expect(await dial('+34600123456')).toMatch(/^Too many calls/)
  })
})
