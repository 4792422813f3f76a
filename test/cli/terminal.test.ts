import { describe, expect, test } from 'vitest'
import { meter, Terminal } from '../../src/cli/terminal.ts'

/** The content of a terminal after all output: its lines, including the cursor’s. */
function screen(isTTY: boolean, columns?: number, colors = false) {
  let written = ''
  const out = {
    isTTY,
    hasColors: () => colors,
    ...(columns === undefined ? {} : { columns }),
    write: (text: string) => {
      written += text
      return true
    },
  }
  const terminal = new Terminal(out as unknown as ConstructorParameters<typeof Terminal>[0])
  const shown = () => written.split('\n').map(line => line.split('\r\u001b[2K').at(-1))
  return { terminal, shown, written: () => written, write: out.write }
}

describe('a level bar', () => {
  test('is empty in silence, full at maximum, and grows by decibels', () => {
    expect(meter(0)).toBe('▯'.repeat(24))
    expect(meter(1)).toBe('▮'.repeat(24))
    expect(meter(0.001, 10)).toBe('▯'.repeat(10))
    // −30 dB is half of 60.
    expect(meter(10 ** (-30 / 20), 10)).toBe('▮▮▮▮▮▯▯▯▯▯')
  })

  test('has the requested length at any level', () => {
    for (const level of [-1, 0, 1e-9, 0.5, 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(meter(level, 8)).toHaveLength(8)
  })
})

describe('a terminal', () => {
  test('keeps lines above the changing one', () => {
    const { terminal, shown } = screen(true)
    terminal.line('one')
    terminal.status('…')
    terminal.line('two')
    terminal.status('… …')
    expect(shown()).toEqual(['one', 'two', '… …'])
    terminal.status('')
    expect(shown()).toEqual(['one', 'two', ''])
  })

  test('of unknown width shows the changing line as well', () => {
    const { terminal, shown } = screen(true, 0)
    terminal.status('meter')
    expect(shown()).toEqual(['meter'])
  })

  test('prints lines of another stream above the changing one', () => {
    const { terminal, shown, write } = screen(true)
    terminal.status('meter')
    terminal.above(() => write('log line\n'))
    expect(shown()).toEqual(['log line', 'meter'])
  })

  test('uses colors only where supported, and excludes them from the width', () => {
    const { terminal, written } = screen(true, 10, true)
    terminal.line({ text: 'ok', color: 'green' }, ' then\u001b[2J')
    terminal.status('12345', { text: '67890', color: 'red' })
    expect(written()).toBe('\u001b[32mok\u001b[0m then [2J\n12345\u001b[31m6789\u001b[0m')
    for (const without of [screen(true), screen(false, 80, true)]) {
      without.terminal.line({ text: 'ok', color: 'green' })
      expect(without.written()).toBe('ok\n')
    }
  })

  test('never wraps the changing line', () => {
    const { terminal, shown } = screen(true, 20)
    terminal.status('x'.repeat(50))
    expect(shown()).toEqual(['x'.repeat(19)])
    const unknown = screen(true)
    unknown.terminal.status('x'.repeat(200))
    expect(unknown.shown()).toEqual(['x'.repeat(79)])
  })

  test('that is not interactive gets only complete lines', () => {
    const { terminal, written } = screen(false)
    terminal.status('meter')
    terminal.line('one')
    terminal.status('')
    terminal.line()
    expect(written()).toBe('one\n\n')
  })

  test('is safe from control characters in speech', () => {
    const { terminal, written } = screen(false)
    terminal.line('es-es  hola\u001b[2J\u0007\r\nadiós\u009b31m')
    expect(written()).toBe('es-es  hola [2J adiós 31m\n')
    const shown = screen(true)
    shown.terminal.status('a\u001b]0;title\u0007b')
    expect(shown.written()).toBe('a ]0;title b')
  })
})
