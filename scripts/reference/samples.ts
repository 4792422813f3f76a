import { languageId } from '../../src/common/language.ts'
import type { CaptionDetails } from '../../src/core/model/caption-details.ts'
import type { RelayEvents } from '../../src/core/model/events.ts'

const en = languageId('en-us')
const es = languageId('es-es')
const room = 'desk'

/** A sample of each webhook event, with all its fields, but only some of the details of a caption. */
export const SAMPLES: {
  readonly [K in keyof RelayEvents]?: Required<Omit<RelayEvents[K], keyof CaptionDetails>> & CaptionDetails
} = {
  room: { room, state: 'opened' },
  admitted: { room, participant: 'MZ1', channel: 'twilio', speaks: en, hears: es },
  left: { room, participant: 'MZ1', channel: 'twilio', reason: { kind: 'hangup', by: 'remote' }, frames: 1 },
  changed: {
    room,
    participant: 'MZ1',
    state: { speaks: en, hears: es, original: 'duck', name: 'Ana', muted: true, interpreting: true },
    changes: ['muted'],
  },
  caption: {
    room,
    speaker: 'MZ1',
    name: 'Ana',
    system: true,
    utterance: '1',
    from: en,
    to: es,
    final: true,
    text: 'Good morning.',
    translation: 'Buenos días.',
    standIns: { synthesis: 'espeak' },
    spoken: { fromMs: 0, toMs: 900 },
  },
  dtmf: { room, participant: 'MZ1', digit: '5' },
  dial: { room, call: 'call-1', outcome: 'failed', participant: 'MZ1', code: 'DIAL_FAILED' },
  recording: { room, recording: 'recording-1', state: 'recording', fault: 'disk-failed' },
}
