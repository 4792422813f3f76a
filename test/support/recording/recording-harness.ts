import type { Announcer } from '../../../src/core/model/announcer.ts'
import { sine } from '../transcode/tone.ts'

export const START = Date.UTC(2026, 10, 21, 10)
/** Pitch of the recording notice. Other notices are shorter and higher. */
export const NOTICE_HZ = 500
const NOTICE_MS = 600

export const announcer: Announcer = {
  notice: async name => ({
    name: `notice ${name}`,
    pcm: name === 'recording' ? sine(NOTICE_HZ, NOTICE_MS) : sine(3_000, 200),
  }),
  say: () => Promise.reject(new Error('says nothing')),
  tone: name => ({ name, pcm: sine(900, 100) }),
  file: () => Promise.reject(new Error('has no files')),
}
