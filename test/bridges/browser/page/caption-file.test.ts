import { describe, expect, it } from 'vitest'
import { captionFile } from '../../../../src/bridges/browser/page/caption-file.ts'

const CAPTIONS = [
  { name: 'Ana', text: 'buenos días', translation: 'good morning', fromMs: 0, toMs: 1_250 },
  { name: 'Ben <b>', text: 'R&D -->\n\nnow', translation: '', fromMs: 3_723_004, toMs: 3_723_004 },
]

describe('the captions of a call as a file', () => {
  it('are readable as text', () => {
    expect(captionFile(CAPTIONS, 'txt')).toBe('Ana: buenos días\ngood morning\n\nBen <b>: R&D -->\n\nnow\n')
  })

  it('are numbered cues in SubRip, each without a blank line and with a duration', () => {
    expect(captionFile(CAPTIONS, 'srt')).toBe(
      '1\n00:00:00,000 --> 00:00:01,250\nAna: buenos días\ngood morning\n\n' +
        '2\n01:02:03,004 --> 01:02:03,005\nBen <b>: R&D -->\nnow\n',
    )
  })
})
