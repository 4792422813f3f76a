import { describe, expect, test } from 'vitest'
import { CircuitBreaker } from '../../../src/core/translation/circuit-breaker.ts'

const opened = () => {
  const circuit = new CircuitBreaker(() => 0.5)
  for (let n = 0; n < 5; n++) circuit.failed(n)
  return circuit
}

describe('a circuit breaker', () => {
  test('opens after five consecutive failures and allows one probe at a time', () => {
    const circuit = new CircuitBreaker(() => 0.5)
    for (let n = 0; n < 4; n++) circuit.failed(n)
    expect(circuit.status).toBe('closed')
    circuit.failed(4)
    expect([circuit.status, circuit.probeAt]).toEqual(['open', 404])
    circuit.probe()
    expect(circuit.status).toBe('half-open')
    circuit.failed(500)
    expect([circuit.status, circuit.probeAt]).toEqual(['open', 900])
    circuit.probe()
    circuit.succeeded(1_000)
    expect(circuit.status).toBe('closed')
  })

  test('ignores failures far apart and failures before a success', () => {
    const circuit = new CircuitBreaker(() => 0.5)
    for (let n = 0; n < 20; n++) circuit.failed(n * 6_000)
    expect(circuit.status).toBe('closed')
    for (let n = 0; n < 20; n++) {
      circuit.failed(200_000 + n)
      if (n % 4 === 3) circuit.succeeded(200_000 + n)
    }
    expect(circuit.status).toBe('closed')
  })

  test('counts a short-lived success as a failure', () => {
    const circuit = new CircuitBreaker(() => 0.5)
    for (let n = 0; n < 5; n++) circuit.unsteady(circuit.succeeded(n * 100), n * 100 + 50)
    expect(circuit.status).toBe('open')
  })

  test('waits longer each time it reopens, up to 5 s, until it was stable', () => {
    const circuit = opened()
    const waits: number[] = []
    let now = 10
    for (let n = 0; n < 6; n++) {
      circuit.probe()
      circuit.succeeded(now)
      for (let m = 0; m < 5; m++) circuit.failed(now)
      waits.push(circuit.probeAt - now)
      now = circuit.probeAt
    }
    expect(waits).toEqual([800, 1_600, 3_200, 5_000, 5_000, 5_000])
    circuit.probe()
    circuit.succeeded(now)
    for (let m = 0; m < 5; m++) circuit.failed(now + 20_000)
    expect(circuit.probeAt - now - 20_000).toBe(400)
  })

  test('randomizes the time of probes', () => {
    for (const [random, wait] of [
      [0, 300],
      [0.999, 500],
    ] as const) {
      const circuit = new CircuitBreaker(() => random)
      for (let n = 0; n < 5; n++) circuit.failed(0)
      expect(Math.round(circuit.probeAt)).toBe(wait)
    }
  })

  test('ignores late failures of attempts that started before it opened', () => {
    const circuit = opened()
    const { probeAt } = circuit
    circuit.failed(100)
    expect([circuit.status, circuit.probeAt]).toEqual(['open', probeAt])
    circuit.probe()
    circuit.abandoned()
    expect([circuit.status, circuit.probeAt]).toEqual(['open', probeAt])
  })
})
