import { expect, test } from 'vitest'
import { ScreenWakeLock } from '../../../../src/bridges/browser/page/wake-lock.ts'

function phone() {
  const held = new Set<object>()
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  const lock = new ScreenWakeLock({
    document,
    navigator: {
      wakeLock: {
        async request() {
          if (document.visibilityState !== 'visible') throw new DOMException('', 'NotAllowedError')
          const one = { release: async () => void held.delete(one) }
          held.add(one)
          return one
        },
      },
    },
  })
  const show = async (state: string) => {
    document.visibilityState = state
    // As browsers do.
    if (state === 'hidden') held.clear()
    document.dispatchEvent(new Event('visibilitychange'))
    await Promise.resolve()
  }
  return { lock, held, show }
}

test('the screen stays on during a call, again after the page was hidden, and not after the call', async () => {
  const { lock, held, show } = phone()
  lock.hold()
  await Promise.resolve()
  expect(held.size).toBe(1)
  await show('hidden')
  expect(held.size).toBe(0)
  await show('visible')
  expect(held.size).toBe(1)
  lock.release()
  await new Promise(resolve => setImmediate(resolve))
  expect(held.size).toBe(0)
  await show('hidden')
  await show('visible')
  expect(held.size).toBe(0)
})
