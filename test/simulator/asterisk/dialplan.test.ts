import { describe, expect, it } from 'vitest'
import { Dialplan, evaluate, splitArgs } from '../../../src/simulator/asterisk/dialplan.ts'
import { EXTENSIONS } from '../../support/conformance/asterisk-network.ts'

describe('a dialplan', () => {
  it('finds extensions by name and by pattern', () => {
    const dialplan = new Dialplan(
      '[a]\nexten => _[+0-9].,1,NoOp(x)\n same => n(next),Hangup(17) ; busy\nexten => h,1,NoOp()',
    )
    expect(dialplan.find('a', '+34600111222')).toEqual([
      { label: undefined, app: 'NoOp', args: 'x' },
      { label: 'next', app: 'Hangup', args: '17' },
    ])
    expect(dialplan.find('a', 'h')).toHaveLength(1)
    for (const wrong of ['x1', '+']) expect(dialplan.find('a', wrong)).toBeUndefined()
    expect(dialplan.find('b', '1')).toBeUndefined()
  })

  it('rejects a line that it cannot read', () => {
    expect(() => new Dialplan('[a]\nexten = s,1,NoOp')).toThrow('line 2: cannot read exten = s,1,NoOp')
  })

  it('of the documentation has a label for each instruction', () => {
    const steps = new Dialplan(EXTENSIONS).find('dragoman-call', 's') ?? []
    const labels = steps.flatMap(({ label }) => label ?? [])
    for (const label of ['stream', 'wait', 'keys', 'play', 'say', 'busy', 'reject', 'hangup'])
      expect(labels).toContain(label)
  })

  it('has arguments and expressions', () => {
    expect(splitArgs('a,{CUT(B,|,1)},c(d,e)')).toEqual(['a', '{CUT(B,|,1)}', 'c(d,e)'])
    expect(['2 + 1', '6 > 5', ' = ', 'a = b'].map(evaluate)).toEqual(['3', '1', '1', '0'])
  })
})
