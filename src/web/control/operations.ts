import type { AnyOperation } from './operation.ts'
import * as calls from './operations/call-operations.ts'
import * as captions from './operations/caption-operations.ts'
import * as codes from './operations/code-operations.ts'
import * as participants from './operations/participant-operations.ts'
import * as recordings from './operations/recording-operations.ts'
import * as rooms from './operations/room-operations.ts'
import * as sounds from './operations/sound-operations.ts'
import * as transcripts from './operations/transcript-operations.ts'
import * as webhooks from './operations/webhook-operations.ts'

/** Everything that can be asked of the control API. A route that is not here fails a test. */
export const OPERATIONS: readonly AnyOperation[] = [
  rooms,
  participants,
  calls,
  codes,
  sounds,
  captions,
  transcripts,
  recordings,
  webhooks,
].flatMap(group => Object.values<AnyOperation>(group))
